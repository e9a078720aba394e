#!/usr/bin/env bash
# All style and type checks: scripts/lint.sh. Stops at the first kind that finds something.
# clang-tidy, which takes minutes, by itself: scripts/lint.sh tidy [engine] [netsim] (JOBS: units at a time, all cores
# if not set); all others: scripts/lint.sh quick.
set -euo pipefail
cd "$(dirname "$0")/.."
which=${1:-all}
programs=("${@:2}")
((${#programs[@]})) || programs=(engine netsim)
PATH=$PWD/.venv/bin:$PATH
mapfile -d '' shell_files < <(git ls-files -z '*.sh' .ci/run)
mapfile -d '' cpp_files < <(git ls-files -z 'src/*.c' 'src/*.cpp' 'src/*.hpp')

# One command a line: within a list joined by && a failure would not end the script.
step() {
  printf 'lint: %s\n' "$1"
  shift
  "$@"
}

# For commands that say much when all is well: what they say is shown if they fail.
quietly() {
  local said
  if ! said=$("$@" 2>&1); then
    printf '%s\n' "$said" | tail -n 60 >&2
    return 1
  fi
}

# For a process of ours that has begun already: what it has said is shown if it fails.
finished() {
  wait "$1" || {
    cat "$2" >&2
    return 1
  }
}

r_style() {
  Rscript --vanilla \
    -e 'found <- c(lintr::lint_dir("scripts/figures"), lintr::lint_dir("tests/figures"))' \
    -e 'print(found); quit(status = length(found) > 0)'
}

quick() {
  # lintr takes as long as all others: it works beside them, as Maven does, and both are waited for at the end.
  found=$(mktemp)
  java_found=$(mktemp)
  r_style >"$found" 2>&1 &
  lintr=$!
  .venv/bin/python scripts/java_format.py >"$java_found" 2>&1 &
  java=$!
  trap 'kill "$lintr" "$java" 2>/dev/null || true; rm -f "$found" "$java_found"' EXIT
  step "ruff" ruff check -q .
  step "ruff format" ruff format -q --check .
  step "mypy" mypy --no-error-summary
  step "pytest collects" quietly pytest --collect-only -q
  step "shellcheck" shellcheck "${shell_files[@]}"
  step "snakefmt" quietly snakefmt --check Snakefile rules
  step "snakemake --lint" quietly snakemake --lint
  step "clang-format" clang-format --dry-run -Werror "${cpp_files[@]}"
  step "google-java-format" finished "$java" "$java_found"
  step "lintr" finished "$lintr" "$found"
}

tidy() {
  step "clang-tidy" .venv/bin/python scripts/tidy.py --jobs "${JOBS:-$(nproc)}" "${@/#/src/}"
}

case $which in
  all)
    quick
    tidy "${programs[@]}"
    ;;
  quick) quick ;;
  tidy) tidy "${programs[@]}" ;;
  *)
    printf 'lint: found %s, expected quick, tidy or nothing\n' "$which" >&2
    exit 1
    ;;
esac
