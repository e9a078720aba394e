"""A program that has hosts until it is killed: driver.py SETTINGS WAY. Says `begin`, then `up`."""

import os
import sys

from harness.hosts import HostsSettings, hosts, plan
from tests.hosts.conftest import without_root

if sys.argv[2] == "user":
    plan.isolation = without_root
settings = HostsSettings.model_validate_json(sys.argv[1])
print("begin", flush=True)
with hosts(settings, 3) as h:
    for host in h:
        fill = f"for disk in {' '.join(str(host.scratch(disk)) for disk in settings.disks)}; do"
        script = f"{fill} head -c 3000000 /dev/zero > $disk/file; done; setsid sleep 4711 & trap '' TERM; sleep 4711"
        host.start(["sh", "-c", script], log=os.devnull)
    print("up", flush=True)
    h[0].run(["sleep", "4711"], timeout_s=4711)
