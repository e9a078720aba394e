"""Whether the site's machine lets us set power caps, asked before anything is planned."""

from __future__ import annotations

from harness.config import Site
from harness.power.registry import resolve


def cap_refusal(site: Site) -> str:
    """Why no cap can be set at this site, or '' if it can. Looks at this machine only where runs happen here."""
    if site.power.capping == "yes":
        return ""
    if site.power.capping == "no":
        return "the site's configuration says that caps cannot be set"
    if not site.here:
        return "the site's configuration says capping: auto, but its nodes cannot be probed from here"
    found = resolve(site.power.meter)
    return "" if found.can_cap else found.cap_reason.removeprefix("no power source: ")
