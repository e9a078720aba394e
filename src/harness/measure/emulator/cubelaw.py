"""The model: frequency under a cap, CPU quota at a frequency, watts at a load. Pure functions, no clock.

    q      = 1 / (beta / f + 1 - beta)                       speed left at frequency ratio f
    P_pkg  = idle + dynamic * min(1, c / q) * f^a            c: CPU time used / CPU time of the whole slice
    P_dram = dram_idle + dram_dynamic * c
    f      -> ((cap - idle) / dynamic)^(1 / a) in [fmin, 1], first-order filter

Power and limiter share one formula, so that a cap holds says nothing; only the job's slow-down is real.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from harness.measure.emulator.profile import Parameters


@dataclass(frozen=True, kw_only=True)
class CubeLaw:
    """The model with its parameters as plain numbers."""

    idle_w: float
    dynamic_w: float
    exponent: float
    beta: float
    fmin: float
    dram_idle_w: float
    dram_dynamic_w: float
    filter_s: float

    @classmethod
    def of(cls, p: Parameters) -> CubeLaw:
        """Take the numbers out of a profile."""
        return cls(
            idle_w=p.idle_w.value,
            dynamic_w=p.dynamic_w.value,
            exponent=p.exponent.value,
            beta=p.compute_boundness.value,
            fmin=p.min_frequency.value,
            dram_idle_w=p.dram_idle_w.value,
            dram_dynamic_w=p.dram_dynamic_w.value,
            filter_s=p.filter_ms.value / 1e3,
        )

    def target_frequency(self, cap_w: float) -> float:
        """Frequency ratio in [fmin, 1] at which a full load draws `cap_w`."""
        share = max(0.0, (cap_w - self.idle_w) / self.dynamic_w)
        return float(min(1.0, max(self.fmin, share ** (1 / self.exponent))))

    def next_frequency(self, now: float, cap_w: float, dt_s: float) -> float:
        """Frequency ratio after `dt_s` of moving towards the target."""
        gain = 1.0 if self.filter_s <= 0 else 1 - exp(-dt_s / self.filter_s)
        return now + (self.target_frequency(cap_w) - now) * gain

    def speed(self, frequency: float) -> float:
        """Share q of the slice's CPU time that is left at `frequency`."""
        return 1 / (self.beta / frequency + 1 - self.beta)

    def package_w(self, load: float, frequency: float) -> float:
        """Watts of the package at `load` = c (share of the slice's CPU time used)."""
        busy = min(1.0, load / self.speed(frequency))
        return float(self.idle_w + self.dynamic_w * busy * frequency**self.exponent)

    def dram_w(self, load: float) -> float:
        """Watts of the memory at `load`."""
        return self.dram_idle_w + self.dram_dynamic_w * min(1.0, load)
