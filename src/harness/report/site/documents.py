"""Turns the project's own documents into pages of the site: their links, lists and tables, as MkDocs reads them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from harness.report.site import markdown

DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "docs/*.md",
    "config/README.md",
    "config/*/README.md",
    "src/*/*.md",
    "src/*/bench/README.md",
    "src/hadoop/plugins/*/README.md",
)
"""The documents that become pages."""
FILES = ("docs/*.png", "docs/*.css", "docs/*.js")
"""What pages show or load."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "Reproduce": ("reproduce", "compare", "configure", "cluster", "images", "spack", "power", "hadoop"),
    "Reviewers": ("artifact-evaluation",),
    "Extend": ("extending", "architecture", "config/index", "config/claims/index"),
    "FAQ": ("faq",),
}
"""The order of the documents; those that are not named follow under Extend, in a section of their own."""

_FENCE = re.compile(r"(^ *(`{3,}|~{3,}).*?^ *\2 *$)", re.MULTILINE | re.DOTALL)
_LINK_OR_CODE = re.compile(r"(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)|`+[^`]+`+")
_CODE_WITH_BAR = re.compile(r"`([^`\n]*\\\|[^`\n]*)`")
_ITEM = re.compile(r"(?:[*+-]|\d+\.) +")


def found(root: Path, patterns: Collection[str]) -> list[str]:
    """Returns the files below a folder that patterns name, as paths from there; the README of a folder comes first."""
    paths = {path.relative_to(root) for pattern in patterns for path in root.glob(pattern)}
    return [
        path.as_posix()
        for path in sorted(paths, key=lambda path: (path.parent, path.name != "README.md", path))
    ]


def page_of(source: str) -> str:
    """Returns the place on the site of a document or of a file that pages load: docs/power.md -> power.md."""
    folder, name = posixpath.split(source.removeprefix("docs/"))
    return posixpath.join(folder, "index.md" if name == "README.md" else name)


def converted(text: str, source: str, sources: Collection[str], repository: str = "") -> str:
    """Returns a document as a page of the site.

    `source` is its path in the checkout, `sources` those of all that the site has. Links to other files lead to the
    `repository`, where its address is known; without one only the files' paths are left of them.
    """
    parts = _FENCE.split(text)
    # A block of code and the mark that it begins with follow each piece of text.
    for place in range(0, len(parts), 3):
        piece = _CODE_WITH_BAR.sub(lambda match: markdown.code(match[1].replace("\\|", "|")), parts[place])
        parts[place] = _LINK_OR_CODE.sub(lambda match: _linked(match, source, sources, repository), piece)
    del parts[2::3]
    return relaid("".join(parts))


def _linked(match: re.Match[str], source: str, sources: Collection[str], repository: str) -> str:
    """Returns a link of a document as the site has it, and code as it is."""
    picture, text, target = match.groups()
    if target is None or "://" in target or target.startswith(("#", "mailto:")):
        return match[0]
    name, hash_, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
    for candidate in (path, f"{path}/README.md"):
        if candidate in sources:
            here = posixpath.dirname(page_of(source)) or "."
            return f"{picture}[{text}]({posixpath.relpath(page_of(candidate), here)}{hash_}{anchor})"
    if repository:
        return f"{picture}[{text}]({repository.rstrip('/')}/blob/HEAD/{quote(path)}{hash_}{anchor})"
    shown = f"`{path}`"
    return shown if path.endswith(text.strip("`")) else f"{text} ({shown})"


def relaid(text: str) -> str:
    """Returns a text whose lists MkDocs reads as forges do: four blanks a level, and a blank line before each."""
    lines: list[str] = []
    inside: list[int] = []  # of each list that is open: the column where its items' text begins
    fence, after_blank = "", True
    listing = True  # whether an item can follow the line before: it is of an item itself, or blank
    for line in text.splitlines():
        body = line.lstrip(" ")
        column = len(line) - len(body)
        if not body:
            lines.append("")
            after_blank = listing = True
            continue
        opens = re.match(r"`{3,}|~{3,}", body)
        item = None if fence else _ITEM.match(body)
        if item and not (after_blank or inside or not item[0][0].isdigit() or item[0].startswith("1.")):
            item = None
        if not fence and (after_blank or item or opens):
            while inside and column < inside[-1]:
                inside.pop()
        if item and not listing:
            lines.append("")
        listing = bool(item) or (listing and not after_blank and not opens)
        beyond = max(0, column - inside[-1]) if inside else column
        lines.append(" " * (4 * len(inside) + (0 if item else beyond)) + body)
        if item:
            inside.append(column + len(item[0]))
        elif fence:
            fence = "" if body.startswith(fence) else fence
        elif opens:
            fence = opens[0]
        after_blank = False
    return "\n".join(lines) + "\n"


def navigation(sources: Collection[str], studies: Iterable[str]) -> list[Any]:
    """Returns the navigation as MkDocs takes it: each document once, and the pages of results.

    `studies`: ids of those that have figures, and what else has a page in the gallery.
    """
    pages = [page_of(source) for source in sources if source.endswith(".md")]
    named = {f"{page}.md" for section in SECTIONS.values() for page in section}
    listed: dict[str, list[Any]] = {
        section: [page for name in names if (page := f"{name}.md") in pages]
        for section, names in SECTIONS.items()
    }
    rest = [page for page in pages if page not in named and page not in ("index.md", "CHANGELOG.md")]
    if rest:
        listed["Extend"] = [*listed["Extend"], {"Components": rest}]
    gallery = [{"Gallery": "gallery/index.md"}, *({name: f"gallery/{name}.md"} for name in studies)]
    results = [*gallery, {"Verdicts": "verdicts.md"}, {"Times": "times.md"}]
    ordered = {"Reproduce": listed.pop("Reproduce"), "Results": results, **listed}
    if "CHANGELOG.md" in pages:
        ordered["FAQ"] = [*ordered["FAQ"], {"Changes": "CHANGELOG.md"}]
    return [{"Home": "index.md"}, *({section: entries} for section, entries in ordered.items() if entries)]
