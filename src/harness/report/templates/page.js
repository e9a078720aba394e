// Sorts and filters the verdict table. The page is complete without it: this only adds controls to what is there.
"use strict";
(() => {
  const table = document.getElementById("claims");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const byId = (id) => document.getElementById(id);
  const [find, study, sortby, shown, nothing] = ["find", "study", "sortby", "shown", "nothing"].map(byId);
  const chips = [...document.querySelectorAll(".chip")];
  const segments = [...document.querySelectorAll(".bar [data-verdict]")];
  const wanted = new Set();
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  // Sorting. Numbers by size, words by the alphabet with numbers in them by size; empty cells always come last.
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const key = (row, column) => {
    const text = row.cells[column].dataset.sort;
    const size = text === "" ? NaN : Number(text);
    return Number.isNaN(size) ? text : size;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return collator.compare(a, b);
  };

  function sort(column, descending) {
    const keyed = rows.map((row, place) => ({ row, place, key: key(row, column) }));
    keyed.sort((a, b) => {
      if (a.key === "" || b.key === "") return (a.key === "") - (b.key === "") || a.place - b.place;
      return (descending ? -1 : 1) * compare(a.key, b.key) || a.place - b.place;
    });
    body.append(...keyed.map((one) => one.row));
    heads.forEach((head, place) => {
      if (place === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    sortby.value = `${column}${descending ? "d" : ""}`;
  }

  function unsort() {
    body.append(...rows);
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    sortby.value = "";
  }

  sortby.add(new Option("the papers' order", ""));
  heads.forEach((head, column) => {
    const name = head.textContent;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending"));
    head.replaceChildren(button);
    sortby.add(new Option(name, `${column}`));
    sortby.add(new Option(`${name}, falling`, `${column}d`));
  });
  sortby.addEventListener("change", () => {
    if (sortby.value === "") unsort();
    else sort(Number.parseInt(sortby.value, 10), sortby.value.endsWith("d"));
  });

  // Filtering. Any of the chosen verdicts, the chosen study, and all words of the search field.
  function filter() {
    const sought = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      const hit =
        (wanted.size === 0 || wanted.has(row.dataset.verdict)) &&
        (study.value === "" || row.dataset.study === study.value) &&
        sought.every((word) => words.get(row).includes(word));
      row.hidden = !hit;
      left += hit;
    }
    for (const one of [...chips, ...segments]) {
      const on = wanted.has(one.dataset.verdict);
      if (one.classList.contains("chip")) one.setAttribute("aria-pressed", on);
      one.classList.toggle("off", wanted.size > 0 && !on);
    }
    shown.textContent = left === rows.length ? `all ${left} shown` : `${left} of ${rows.length} shown`;
    nothing.hidden = left > 0;
  }

  for (const one of [...chips, ...segments]) {
    one.addEventListener("click", () => {
      const verdict = one.dataset.verdict;
      if (!wanted.delete(verdict)) wanted.add(verdict);
      filter();
      // The chips stand at the top of the page, the table they filter far below.
      if (wanted.size > 0) byId("verdicts").scrollIntoView();
    });
  }

  function clear() {
    find.value = study.value = "";
    wanted.clear();
    filter();
  }

  const expand = byId("expand");
  function open(all) {
    body.querySelectorAll("details").forEach((one) => { one.open = all; });
    expand.setAttribute("aria-pressed", all);
  }

  find.addEventListener("input", filter);
  study.addEventListener("change", filter);
  expand.addEventListener("click", () => open(expand.getAttribute("aria-pressed") !== "true"));
  byId("again").addEventListener("click", clear);
  find.form.addEventListener("submit", (event) => event.preventDefault());
  find.form.addEventListener("reset", (event) => {
    event.preventDefault();
    clear();
    unsort();
    open(false);
  });

  // A link to a claim shows it even if a filter hides it, and opens its explanation.
  function follow() {
    const row = location.hash.startsWith("#claim-") && byId(decodeURIComponent(location.hash.slice(1)));
    if (!row) return;
    if (row.hidden) clear();
    row.querySelector("details").open = true;
    row.scrollIntoView({ block: "center" });
  }
  addEventListener("hashchange", follow);

  find.form.hidden = false;
  filter();
  follow();
})();
