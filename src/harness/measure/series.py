"""Turns raw readings into samples: differences of counters, integrals of gauges, the drop rule. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.measure.model import Kind, Reading

MAX_HALF_WIDTH = 0.10  # of the period: a read that took longer cannot be dated
MAX_GAP = 2.0  # periods at either end of a run for which a gauge's nearest value may stand
STOOD_STILL = "the energy counter did not move during the run"


@dataclass(kw_only=True)
class Series:
    """Accumulates one domain over one run.

    `amount` is what has accumulated since `begin` (J, or CPU s for the ranks); `rate` of a sample is W (or
    cores). Dropped reads change no total: the next good difference spans them. With `must_move` (energy: 0 W
    does not exist) a counter gives nothing until it has moved, and no total if it never did.
    """

    kind: Kind
    period_s: float
    must_move: bool = False
    first: Reading | None = None
    last: Reading | None = None
    latest: Reading | None = None
    amount: float = 0.0
    rate_max: float | None = None
    samples: int = 0
    dropped: int = 0
    half_widths: list[float] = field(default_factory=list)
    problem: str = ""

    def begin(self, reading: Reading) -> None:
        """Takes the reading that everything is counted from; its width does not matter, only its value."""
        if reading.value is None:
            self.problem = self.problem or reading.problem
            return
        self.first = self.last = self.latest = reading

    def add(self, reading: Reading) -> float | None:
        """Takes one sample; returns its rate, or None when it gave none (dropped, first, or unreadable)."""
        if self.problem:
            return None
        if reading.value is None:
            if reading.lasting:
                self.problem = reading.problem
            else:
                self.dropped += 1
            return None
        if self.latest is None or self.first is None or self.last is None:
            self.begin(reading)
            return None
        self._accumulate(reading)
        if reading.half_width > MAX_HALF_WIDTH * self.period_s:
            self.dropped += 1
            return None
        if self.must_move and self.amount == 0:
            return None
        step = reading.time - self.last.time
        if step <= 0:
            return None
        rate = reading.value
        if self.kind == "counter":
            rate = (reading.value - (self.last.value or 0.0)) / step
        self.last = reading
        self.samples += 1
        self.half_widths.append(reading.half_width)
        self.rate_max = rate if self.rate_max is None else max(rate, self.rate_max)
        return rate

    def end(self, reading: Reading) -> None:
        """Takes the last reading, which closes the total whatever its width."""
        if not self.problem and reading.value is None:
            self.problem = reading.problem if reading.lasting else ""
        elif not self.problem and self.latest is not None:
            self._accumulate(reading)

    def cover(self, begin: float, end: float) -> None:
        """Extends the integral of a gauge that is polled to a whole run.

        Its first value holds before it, its last one after it; what was read after the end is taken off. begin, end:
        of the run, by the clock of the readings, s.
        """
        if self.kind != "gauge" or self.first is None or self.latest is None or self.reason:
            return
        gap = max(self.first.time - begin, end - self.latest.time)
        if gap > MAX_GAP * self.period_s:
            self.problem = f"no value could be read for {gap:.1f} s at the begin or end of the run"
            return
        assert self.first.value is not None and self.latest.value is not None
        self.amount += self.first.value * (self.first.time - begin) + self.latest.value * (
            end - self.latest.time
        )
        self.first = replace(self.first, before=begin, after=begin)
        self.latest = replace(self.latest, before=end, after=end)

    def _accumulate(self, reading: Reading) -> None:
        assert self.latest is not None and self.latest.value is not None and reading.value is not None
        if self.kind == "counter":
            self.amount += reading.value - self.latest.value
        else:
            mean = (reading.value + self.latest.value) / 2
            self.amount += mean * (reading.time - self.latest.time)
        self.latest = reading

    @property
    def total(self) -> float | None:
        """Returns J (or CPU s) from begin to end; None with `reason`."""
        return None if self.reason else self.amount

    @property
    def reason(self) -> str:
        """Returns why there is no total, '' when there is."""
        if self.problem:
            return self.problem
        if self.first is None or self.latest is self.first:
            return "read fewer than two times"
        if self.must_move and self.amount == 0:
            return STOOD_STILL
        return ""

    @property
    def duration_s(self) -> float:
        """Returns the time between the first and the latest reading, s."""
        if self.first is None or self.latest is None:
            return 0.0
        return self.latest.time - self.first.time

    @property
    def mean(self) -> float | None:
        """Returns total over duration, W (or cores)."""
        total = self.total
        return None if total is None or self.duration_s <= 0 else total / self.duration_s
