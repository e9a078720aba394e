"""Makes an SVG file fit to stand in a page: nothing active or remote, ids and styles of its own, scalable."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from harness.core.errors import KvasirError

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_ACTIVE = {
    "script",
    "foreignObject",
    "iframe",
    "handler",
    "set",
    "animate",
    "animateMotion",
    "animateTransform",
}
_LOCAL_URL = re.compile(r"url\(\s*(['\"]?)#([^)'\"]*)\1\s*\)")
_REMOTE_URL = re.compile(r"url\(\s*['\"]?(?!#|data:)[^)]*\)", re.IGNORECASE)
_LENGTH = re.compile(r"^\s*([0-9.]+)\s*(pt|px|mm|cm|in)?\s*$")
_PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}


@dataclass(frozen=True)
class InlineSvg:
    """Markup for the page and the figure's own width in CSS pixels (0 if the file names none)."""

    markup: str
    width_px: float


def inline_svg(text: str, name: str, scope: str, title: str) -> InlineSvg:
    """Returns `text` (an SVG file called `name`) as markup for an HTML page.

    `scope` is put before every id and `#scope` before every style rule, so that figures cannot disturb each other;
    the page must put the markup inside an element with that id. `title` is what a screen reader says. Raises
    KvasirError if the text is not SVG.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise KvasirError(f"{name}: an SVG with a document type is not taken into the report; draw it again")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise KvasirError(f"{name}: not a whole SVG file: {error}; delete it and draw it again") from None
    if root.tag != f"{{{_SVG}}}svg":
        raise KvasirError(f"{name}: not an SVG file: its root element is {root.tag}")
    _clean(root)
    for element in root.iter():
        _rename(element, scope)
        if element.tag == f"{{{_SVG}}}style":
            element.text = _scoped_css(element.text or "", scope)
    width = _free_size(root)
    root.set("role", "img")
    root.set("aria-label", title)
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    return InlineSvg(ET.tostring(root, encoding="unicode"), width)


def _clean(root: ET.Element) -> None:
    """Drop elements and attributes that could run or load something."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in _ACTIVE:
                parent.remove(child)
        for key, value in list(parent.attrib.items()):
            plain = key.rpartition("}")[2].lower()
            if plain.startswith("on") or (
                plain in ("href", "src") and not value.startswith(("#", "data:image/"))
            ):
                del parent.attrib[key]
            elif _REMOTE_URL.search(value):
                parent.set(key, _REMOTE_URL.sub("none", value))


def _rename(element: ET.Element, scope: str) -> None:
    for key, value in list(element.attrib.items()):
        if key == "id":
            element.set(key, f"{scope}-{value}")
        elif key.rpartition("}")[2] == "href" and value.startswith("#"):
            element.set(key, f"#{scope}-{value[1:]}")
        elif "url(" in value:
            element.set(key, _LOCAL_URL.sub(rf"url(#{scope}-\2)", value))


def _scoped_css(css: str, scope: str) -> str:
    """Returns style rules that reach no further than the element with id `scope`; at-rules and remote urls go."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    css = re.sub(r"@[^;{]*(;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})", "", css)
    rules = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        reach = ", ".join(f"#{scope} {one.strip()}" for one in selectors.split(",") if one.strip())
        body = _LOCAL_URL.sub(rf"url(#{scope}-\2)", _REMOTE_URL.sub("none", body))
        rules.append(f"{reach} {{{' '.join(body.split())}}}")
    return "\n".join(rules)


def _free_size(root: ET.Element) -> float:
    """Replace the fixed size by a viewBox, so that the page decides; returns the width there was, CSS pixels."""
    pixels = []
    for key in ("width", "height"):
        match = _LENGTH.match(root.attrib.pop(key, ""))
        pixels.append(float(match[1]) * _PIXELS[match[2] or ""] if match else 0.0)
    if "viewBox" not in root.attrib and all(pixels):
        root.set("viewBox", f"0 0 {pixels[0]:g} {pixels[1]:g}")
    return pixels[0]
