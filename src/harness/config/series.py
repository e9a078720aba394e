"""Model of a series of figures: its label, and its look where it is not to be chosen when a figure is drawn."""

from __future__ import annotations

from pydantic import Field

from harness.core.models import Strict

COLOURS = ("black", "orange", "sky", "green", "amber", "blue", "vermillion", "purple")
"""The palette of Okabe and Ito, amber instead of its pale yellow."""
LINETYPES = ("solid", "dashed", "dotted", "dotdash", "longdash", "twodash")


class Series(Strict):
    """Says how figures and tables name and draw one series: a framework, an application, a level of a factor."""

    label: str = Field(description="for figures and tables")
    note: str | None = Field(
        default=None, description="what captions say of it, such as: re-implementation after the paper"
    )
    colour: str | None = Field(
        default=None,
        pattern=rf"^({'|'.join(COLOURS)}|#[0-9A-Fa-f]{{6}})$",
        description=f"{', '.join(COLOURS)} or #RRGGBB; none: one that no other series has with its shape",
    )
    shape: int | None = Field(
        default=None,
        ge=0,
        le=25,
        description="R's plotting symbol; 21 to 25 are filled, hollow is the paper's",
    )
    linetype: str | None = Field(
        default=None,
        pattern=rf"^({'|'.join(LINETYPES)}|([1-9A-F]{{2}}){{1,4}})$",
        description=f"{', '.join(LINETYPES)}, or lengths of strokes and gaps as in '42'",
    )
