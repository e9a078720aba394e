"""Energy counters that wrap around, turned into joules since the start."""

from __future__ import annotations


class CounterBroken(ValueError):
    """A counter did something that neither power nor wrap-around explains."""


class Unwrapper:
    """Sums the differences of one wrapping counter.

    The difference of two reads is taken modulo the counter's own range (`max_energy_range_uj`), which is
    right as long as the counter is read at least once per turn. A read that would mean more than `max_w`
    watts is a misread (a torn read, a counter that was reset): it is passed over once, and breaks the counter
    when the next read says the same, since what was lost cannot be known.
    """

    def __init__(self, first_uj: int, range_uj: int, max_w: float, now: float) -> None:
        """Start at `first_uj` read at time `now` (s); range 0 means the zone does not count energy."""
        if range_uj <= 0:
            raise CounterBroken(f"energy range is {range_uj} uJ: the zone does not count energy")
        self._range = range_uj
        self._max_w = max_w
        self._last = first_uj
        self._time = now
        self._total_uj = 0
        self._suspect = False
        self.rejected = 0
        self.wraps = 0

    @property
    def joules(self) -> float:
        """Energy since the start, J."""
        return self._total_uj / 1e6

    def add(self, value_uj: int, now: float) -> float:
        """Take the counter's value at time `now`; returns joules since the start, raises CounterBroken."""
        step = (value_uj - self._last) % self._range
        # One second of grace: counters advance in lumps, so a very short interval may hold a whole lump.
        if step / 1e6 > self._max_w * (now - self._time + 1.0):
            self.rejected += 1
            if self._suspect:
                raise CounterBroken(
                    f"energy counter jumped from {self._last} to {value_uj} uJ, more than {self._max_w:g} W"
                )
            self._suspect = True
            return self.joules
        self._suspect = False
        self.wraps += value_uj < self._last
        self._total_uj += step
        self._last, self._time = value_uj, now
        return self.joules
