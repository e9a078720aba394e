"""Names of sources -> classes, and what a name comes to on this machine."""

from __future__ import annotations

from typing import cast

from harness.config.power import POWER_SOURCES, PowerSettings
from harness.core.imports import load_class
from harness.measure.model import NONE, Probe, Resolved, Scope, Source
from harness.measure.sources.none import Nothing

AUTO = ("powercap", "papi")
_BASE = "harness.measure.model:Source"


def build(settings: PowerSettings) -> Source:
    """The source that `settings.source` names (not `auto`). Raises KvasirError when its class cannot be had."""
    key, _, argument = settings.source.partition(":")
    entry = POWER_SOURCES.get(key)
    if entry is None:
        argument = ""
    reference = settings.source if entry is None else entry.reference
    return cast(type[Source], load_class(reference, _BASE))(settings, argument)


def scope_of(settings: PowerSettings) -> Scope:
    """Whose energy the settings' source gives; what `auto` may choose is all per host."""
    return "host" if settings.source == "auto" else build(settings).scope


def refusal_of_hosts(settings: PowerSettings, hosts: int) -> str:
    """Why these settings cannot measure each of `hosts` hosts, '' if they can."""
    return "" if settings.source == "auto" else build(settings).refusal(hosts)


def resolve(settings: PowerSettings) -> Resolved:
    """Find the source to use. `auto` is the first of powercap, papi that measures, never an emulated one."""
    if settings.source != "auto":
        source = build(settings)
        return _resolved(source.probe(), source)
    reasons = []
    for key in AUTO:
        source = build(settings.model_copy(update={"source": key}))
        probe = source.probe()
        if probe.usable and probe.source_name.startswith("measured:"):
            return _resolved(probe, source)
        emulated = f"{settings.root} is not the kernel's ({probe.source_name}); name it to use it"
        reasons.append(f"{key}: {emulated if probe.usable else probe.reason}")
    reason = "no power source: " + "; ".join(reasons)
    nothing = Nothing(settings, "")
    return Resolved(NONE, reason, (), False, reason, nothing)


def _resolved(probe: Probe, source: Source) -> Resolved:
    if not probe.usable:
        reason = f"{source.key}: {probe.reason}"
        return Resolved(NONE, reason, (), False, reason, source)
    return Resolved(probe.source_name, probe.reason, probe.domains, probe.can_cap, probe.cap_reason, source)
