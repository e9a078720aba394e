"""What `probe` prints: every source with its answer."""

from __future__ import annotations

from typing import Any

from harness.config.power import POWER_SOURCES, PowerSettings
from harness.measure.registry import build


def probe_all(settings: PowerSettings) -> list[dict[str, Any]]:
    """Ask every source, and every emulation profile, whether it can be used here."""
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
    """Print `rows` for a human."""
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
