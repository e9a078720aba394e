"""Run in an allocation: what a cell's monitor finds of the energy of two hosts, as JSON. Argument: the trace."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from harness.hosts import HostsSettings, hosts
from harness.measure import Monitor, PowerSettings

REST = "import time; time.sleep(5)"


def main() -> None:
    settings = HostsSettings.parse(
        {
            "kind": "slurm",
            "scratch": "/tmp",
            "interfaces": {"gbe": {"device": "gbe", "names": "{host}"}},
            "slurm": {"python": sys.executable},
        }
    )
    power = PowerSettings(source="slurm")
    with hosts(settings, 2) as h:
        # As Hadoop's daemons: begun before the run, and there after it.
        h[1].start(["sleep", "1000"], log="/dev/null")
        with Monitor(h, period_s=0.5, trace=Path(sys.argv[1]), power=power) as monitor:
            began = time.time()
            h[0].run([sys.executable, "-c", REST])
            seconds = time.time() - began
    energy, mean, _ = monitor.metrics(seconds)[-6:-3]
    found = {"joules": energy.value, "watts": mean.value, "source": energy.source, "reason": energy.reason}
    print(json.dumps({**found, "seconds": seconds}))


if __name__ == "__main__":
    main()
