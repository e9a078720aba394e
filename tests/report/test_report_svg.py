"""SVG files inside a page."""

import xml.etree.ElementTree as ET

import pytest
from report_sample import SVG

from harness.core.errors import KvasirError
from harness.report.svg import inline_svg


def test_nothing_active_or_remote_is_left() -> None:
    markup = inline_svg(SVG, "a.svg", "fig-a", "A title").markup
    assert "example.org" not in markup
    assert "<script" not in markup
    assert "onclick" not in markup
    assert "@import" not in markup
    assert 'aria-label="A title"' in markup


def test_ids_references_and_styles_belong_to_the_figure() -> None:
    root = ET.fromstring(inline_svg(SVG, "a.svg", "fig-a", "A").markup)
    names = [element.get("id") for element in root.iter() if element.get("id")]
    assert names == ["fig-a-cp=="]
    group = next(element for element in root.iter() if element.tag.endswith("}g"))
    assert group.get("clip-path") == "url(#fig-a-cp==)"
    used = next(element for element in root.iter() if element.tag.endswith("}use"))
    assert used.get("{http://www.w3.org/1999/xlink}href") == "#fig-a-cp=="
    style = next(element.text or "" for element in root.iter() if element.tag.endswith("}style"))
    assert style.splitlines() == [
        "#fig-a .svglite line, #fig-a .svglite rect {fill: none; stroke: #000;}",
        "#fig-a .svglite text {white-space: pre;}",
    ]


def test_the_page_decides_the_size() -> None:
    drawn = inline_svg(SVG, "a.svg", "fig-a", "A")
    root = ET.fromstring(drawn.markup)
    assert root.get("width") is None
    assert root.get("viewBox") == "0 0 504 252"
    assert drawn.width_px == pytest.approx(672)
    plain = inline_svg("<svg xmlns='http://www.w3.org/2000/svg' width='10mm' height='5mm'/>", "b", "b", "B")
    assert 'viewBox="0 0 37.7953 18.8976"' in plain.markup


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SVG[:-20], "not a whole SVG file"),
        ("", "not a whole SVG file"),
        ("<html/>", "its root element is html"),
        (
            "<!DOCTYPE svg [<!ENTITY a 'aaaa'>]><svg xmlns='http://www.w3.org/2000/svg'>&a;</svg>",
            "document type",
        ),
    ],
)
def test_a_broken_file_is_named(text: str, says: str) -> None:
    with pytest.raises(KvasirError, match=says) as caught:
        inline_svg(text, "figures/broken.svg", "x", "X")
    assert str(caught.value).startswith("figures/broken.svg: ")
