"""Finds power sources by name, and says what each gives on this machine."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from harness.config.power import POWER_SOURCES, PowerSettings
from harness.core.imports import load_class
from harness.measure.model import NONE, Probe, Reader, Resolved, Scope, Source

AUTO = ("powercap", "papi")
_BASE = "harness.measure.model:Source"


class NoSource(Source):
    """Stands for the source `none`: usable everywhere, without domains, by the user's choice."""

    key: ClassVar[str] = "none"

    def probe(self) -> Probe:
        """Returns that it is usable, without domains."""
        reason = "no power source: 'none' was asked for"
        return Probe(True, reason=reason, cap_reason=reason)

    def open(self) -> Reader:
        """Returns a reader without domains."""
        return Reader()


def build(settings: PowerSettings) -> Source:
    """Returns the source named `settings.source` (not `auto`). Raises KvasirError if its class cannot be loaded."""
    key, _, argument = settings.source.partition(":")
    entry = POWER_SOURCES.get(key)
    if entry is None:
        argument = ""
    reference = settings.source if entry is None else entry.reference
    return cast(type[Source], load_class(reference, _BASE))(settings, argument)


def scope_of(settings: PowerSettings) -> Scope:
    """Returns the scope of the settings' source; every source that `auto` may choose is per host."""
    return "host" if settings.source == "auto" else build(settings).scope


def refusal_of_hosts(settings: PowerSettings, hosts: int) -> str:
    """Returns why these settings cannot measure each of `hosts` hosts, '' if they can."""
    return "" if settings.source == "auto" else build(settings).refusal(hosts)


def resolve(settings: PowerSettings) -> Resolved:
    """Finds the source to use. `auto` is the first of powercap, papi that measures, never an emulated one."""
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
    return Resolved(NONE, reason, (), False, reason, NoSource(settings, ""))


def _resolved(probe: Probe, source: Source) -> Resolved:
    if not probe.usable:
        reason = f"{source.key}: {probe.reason}"
        return Resolved(NONE, reason, (), False, reason, source)
    return Resolved(probe.source_name, probe.reason, probe.domains, probe.can_cap, probe.cap_reason, source)


def probe_all(settings: PowerSettings) -> list[dict[str, Any]]:
    """Probes every source, and every emulation profile; returns a row for each."""
    names = list(POWER_SOURCES)
    profiles = [f"emulated:{path.stem}" for path in sorted(settings.profile_dir.glob("*.yaml"))]
    names[names.index("emulated") : names.index("emulated") + 1] = profiles
    if settings.source not in ("auto", *names):
        names.append(settings.source)
    return [_row(settings, name) for name in names]


def _row(settings: PowerSettings, name: str) -> dict[str, Any]:
    answer = build(settings.model_copy(update={"source": name})).probe()
    return {
        "source": name,
        "usable": answer.usable,
        "gives": answer.source_name,
        "domains": list(answer.domains),
        "reason": answer.reason,
        "can_cap": answer.can_cap,
        "cap_reason": answer.cap_reason,
    }


def as_table(rows: list[dict[str, Any]]) -> None:
    """Prints `rows` as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("source", "usable", "domains", "cap", "why not")
    for row in rows:
        why = [reason for reason in (row["reason"], row["cap_reason"]) if reason]
        table.add_row(
            row["source"],
            "yes" if row["usable"] else "no",
            " ".join(row["domains"]) or "-",
            "yes" if row["can_cap"] else "no",
            "; ".join(dict.fromkeys(why)),
        )
    Console().print(table)
