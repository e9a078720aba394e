"""Formats numbers for people: three significant digits, thousands separators, times and sizes in the unit that fits."""

from __future__ import annotations

import math
from decimal import Decimal

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST_EXACT = 2**53


def number(value: float) -> str:
    """Returns `value` with three significant digits, or fewer if it has fewer; whole numbers keep all their digits."""
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "not a number")
    sign, size = ("−" if value < 0 else ""), abs(value)
    if size == int(size) and size < _LARGEST_EXACT:
        return f"{sign}{int(size):,}"
    exponent = math.floor(math.log10(float(f"{size:.2e}")))
    if exponent < -4 or exponent > 14:
        return f"{sign}{size / 10.0**exponent:.2f} × 10{str(exponent).translate(_SUPERSCRIPT)}"
    written = Decimal(repr(size)).as_tuple().exponent
    decimals = min(max(0, 2 - exponent), -written if isinstance(written, int) else 0)
    return f"{sign}{round(size, 2 - exponent):,.{max(0, decimals)}f}"


def as_number(text: str) -> float | None:
    """Returns the number that a table's cell holds, or None for words."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def cell(text: str) -> str:
    """Returns a table's cell for people: numbers formatted, words as they are."""
    value = as_number(text)
    return text if value is None else number(value)


def interval(low: str, high: str) -> str:
    """Returns `min … max`; empty if neither is known."""
    return f"{cell(low) or '?'} … {cell(high) or '?'}" if low or high else ""


def unit(text: str) -> str:
    """Returns a unit for people: "1" stands for a plain number and is not shown."""
    return "" if text == "1" else text


def duration(seconds: float) -> str:
    """Returns seconds as `0.84 s`, `12.3 s`, `3 min 05 s` or `2 h 03 min`."""
    if seconds < 59.95:
        return f"{number(seconds) if seconds < 0.1 else f'{seconds:.2f}' if seconds < 9.995 else f'{seconds:.1f}'} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,} h {minutes:02d} min"


def size(bytes_: float) -> str:
    """Returns bytes in binary units, as memory is sold: `15.6 GiB`."""
    for name in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if bytes_ < 1024 or name == "TiB":
            return f"{number(bytes_ if bytes_ == int(bytes_) else round(bytes_, 2))} {name}"
        bytes_ /= 1024
    raise AssertionError("the last unit takes everything")


def count(n: int, one: str, many: str = "") -> str:
    """Returns `1 run` or `12 runs`; `many` is the plural where it is not the singular with an s."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
