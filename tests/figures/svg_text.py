"""Where the words of an SVG figure stand: enough geometry to find clipped and overlapping text."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

CLIP = re.compile(
    r"<clipPath id='([^']+)'>\s*<rect x='([\d.-]+)' y='([\d.-]+)' width='([\d.]+)' height='([\d.]+)'"
)
GROUP = re.compile(r"<g clip-path='url\(#([^)]+)\)'>(.*?)</g>", re.DOTALL)
TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")
SIZE = re.compile(r"font-size: ([\d.]+)px")


@dataclass(frozen=True)
class Word:
    """One text element: its box and the box it is clipped to, both x0, y0, x1, y1 in points."""

    text: str
    box: tuple[float, float, float, float]
    clip: tuple[float, float, float, float]

    def is_cut(self, slack: float = 0.6) -> bool:
        """Does any part lie outside of the clip box?"""
        x0, y0, x1, y1 = self.box
        left, top, right, bottom = self.clip
        return x0 < left - slack or y0 < top - slack or x1 > right + slack or y1 > bottom + slack

    def meets(self, other: "Word") -> bool:
        """Do the two boxes overlap?"""
        a, b = self.box, other.box
        return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def words(path: Path) -> list[Word]:
    """All level or upright text of a figure written by svglite (text at other angles is decoration)."""
    svg = path.read_text(encoding="utf-8")
    clips = {
        name: (float(x), float(y), float(x) + float(w), float(y) + float(h))
        for name, x, y, w, h in CLIP.findall(svg)
    }
    found = [
        word(attributes, text, clips[clip])
        for clip, body in GROUP.findall(svg)
        for attributes, text in TEXT.findall(body)
    ]
    return [each for each in found if each is not None]


def word(attributes: str, text: str, clip: tuple[float, float, float, float]) -> Word | None:
    """The box of one element: digits and capitals reach 0.75 of the size above the base line."""
    size = float(SIZE.search(attributes)[1])  # type: ignore[index]
    length = float(re.search(r"textLength='([\d.]+)px'", attributes)[1])  # type: ignore[index]
    anchor = re.search(r"text-anchor='(\w+)'", attributes)
    back = {"middle": length / 2, "end": length}.get(anchor[1] if anchor else "", 0.0)
    turned = re.search(r"transform='translate\(([\d.-]+),([\d.-]+)\) rotate\(([\d.-]+)\)'", attributes)
    text = html.unescape(text)
    if turned is None:
        x, y = (float(re.search(rf"\b{axis}='([\d.-]+)'", attributes)[1]) for axis in "xy")  # type: ignore[index]
        return Word(text, (x - back, y - 0.75 * size, x - back + length, y + 0.2 * size), clip)
    x, y, angle = (float(part) for part in turned.groups())
    if angle not in (-90.0, 270.0):
        return None
    return Word(text, (x - 0.75 * size, y - length + back, x + 0.2 * size, y + back), clip)
