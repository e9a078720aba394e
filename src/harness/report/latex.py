"""Escapes texts for LaTeX and writes commands with them. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "–": "--",
    "×": r"$\times$",
    "±": r"$\pm$",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
    "≈": r"$\approx$",
    "−": r"$-$",
    "∞": r"$\infty$",
    **{c: f"$^{{{plain}}}$" for c, plain in zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True)},
}


def escaped(text: str) -> str:
    """Returns text escaped for LaTeX; a character that the fonts lack becomes a question mark."""
    known = "".join(_SPECIAL.get(char, char) for char in text)
    return known.encode("latin-1", "replace").decode("latin-1")


def command(name: str, cells: Iterable[str]) -> str:
    """Returns a command of LaTeX with its arguments, which are escaped."""
    return f"\\{name}" + "".join(f"{{{escaped(cell)}}}" for cell in cells)


def definitions(pairs: Mapping[str, str]) -> str:
    """Returns definitions of commands that stand for texts, which are escaped."""
    return "".join(f"\\newcommand{{\\{name}}}{{{escaped(text)}}}\n" for name, text in pairs.items())
