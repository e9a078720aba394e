"""Writes Markdown: text that stays text, code, headings, tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]|#!])")


def escaped(text: str) -> str:
    """Returns a text as Markdown that shows it as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))


def code(text: str) -> str:
    """Returns a text as code within a line; unlike between backticks, `|` may be in it in a table as well."""
    return f"<code>{escaped(text)}</code>"


def fenced(text: str) -> str:
    """Returns a text as a block of code."""
    return f"```\n{text}\n```"


def heading(level: int, text: str, anchor: str = "") -> str:
    """Returns a heading; `anchor` is its link target, where it is not to be made from the text."""
    return f"{'#' * level} {escaped(text)}" + (f" {{#{anchor}}}" if anchor else "")


def mark(kind: str, word: str, text: str) -> str:
    """Returns a short text on a coloured ground: `kind` and `word` are its classes in site.css."""
    return f'<span class="{kind} {word}">{escaped(text)}</span>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table; its cells are Markdown of one line each."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def blocks(*parts: str) -> str:
    """Returns parts as one text, with a blank line between them and without those that are empty."""
    return "\n\n".join(part for part in parts if part)


def page(*parts: str) -> str:
    """Returns parts as the text of a page."""
    return blocks(*parts) + "\n"
