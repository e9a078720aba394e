"""The simulators that are compared, each as a command on the same shuffle, and what one run of them says."""

import contextlib
import ctypes
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NS2_SCRIPT = Path(__file__).parents[1] / "ns2" / "shuffle.tcl"
PR_SET_PDEATHSIG = 1
BITS_PER_S = {"100m": 1e8, "1g": 1e9, "10g": 1e10, "40g": 4e10}


class CompareError(Exception):
    """Something that makes the comparison worthless; the message says what and where."""


@dataclass(frozen=True)
class Outcome:
    """One run: packet hops, simulated seconds, CPU seconds of the whole process, peak memory in bytes."""

    hops: float
    makespan_s: float
    cpu_s: float
    memory: int

    @property
    def rate(self) -> float:
        """Hops per CPU second."""
        return self.hops / self.cpu_s if self.cpu_s > 0 else 0.0


def shuffle_config(
    nodes: int, mb_per_core: float, fat_tree_k: int = 0, buffer_bytes: int = 10_000_000
) -> dict:
    """The shuffle of the comparison: deep buffers, standard EEE; a fat tree of `fat_tree_k` ports if that is not 0."""
    two_rack = {"kind": "two-rack", "nodes": nodes, "edge": "1g", "core": "10g"}
    tree = {"kind": "fat-tree", "k": fat_tree_k, "edge": "10g", "core": "40g"}
    standard = {"policy": "standard", "stall_us": 0}
    return {
        "seed": 1,
        "topology": tree if fat_tree_k else two_rack,
        "latency": {"edge_us": 150, "core_us": 50, "added_us": 0},
        "buffer_bytes": buffer_bytes,
        "queue": {"kind": "drop-tail"},
        "eee": {
            "sleep_abort": False,
            "symmetric_lpi": False,
            "lpi_power": 0.1,
            "watts": {"1g": 0.5, "10g": 2.5, "40g": 5.0},
            "edge": standard,
            "core": standard,
        },
        "tcp": {
            "flavour": "newreno",
            "sack": True,
            "window_bytes": 65536,
            "mss": 1460,
            "initial_window": 10,
            "delayed_ack": 2,
            "delayed_ack_ms": 40,
            "rto_min_ms": 200,
            "rto_initial_ms": 1000,
            "reuse_connections": False,
            "syn_loss": True,
            "jitter_us": 10,
        },
        "shuffle": {"mb_per_core": mb_per_core, "reducers_per_worker": 2, "copiers": 5},
    }


def jobs_config(nodes: int, jobs: int, fat_tree_k: int = 0) -> dict:
    """A stream of small jobs on the same network, at 40 % of the cores."""
    config = shuffle_config(nodes, 1, fat_tree_k)
    del config["shuffle"]
    return config | {"jobs": {"workload": "small", "count": jobs, "load_percent": 40}}


def run(command: list[str], log: Path) -> resource.struct_rusage:
    """Run `command` to its end and return what it used; it goes when this process goes."""
    libc = ctypes.CDLL(None)

    def die_with_parent() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)

    with log.open("wb") as out:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=die_with_parent
            )
        except OSError as error:
            raise CompareError(f"{command[0]}: cannot be started: {error.strerror}") from error
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-2000:]
        raise CompareError(f"exit code {process.returncode} of {shlex.join(command)}\n{said}")
    return used


def metrics_of(report: Path) -> dict[str, float]:
    """Metrics of a report by name."""
    try:
        metrics = json.loads(report.read_text(encoding="utf-8"))["metrics"]
        return {name: metric["value"] for name, metric in metrics.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CompareError(f"{report.name}: is no report: {error!r}") from error


def outcome(hops: float, makespan_s: float, used: resource.struct_rusage) -> Outcome:
    """What a run that used `used` comes to."""
    return Outcome(hops, makespan_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def run_reporting(command: list[str], config: dict, folder: Path) -> Outcome:
    """Run a program that takes CONFIG.json --report REPORT.json."""
    document, report = folder / "config.json", folder / "report.json"
    document.write_text(json.dumps(config), encoding="utf-8")
    report.unlink(missing_ok=True)
    used = run([*command, str(document), "--report", str(report)], folder / "log")
    metrics = metrics_of(report)
    return outcome(metrics["hops"], metrics["makespan"], used)


def run_ns2(config: dict, folder: Path, bytes_per_fetch: int) -> Outcome:
    """Run the shuffle on ns-2."""
    topology, tcp, latency = config["topology"], config["tcp"], config["latency"]
    output = folder / "ns2"
    output.unlink(missing_ok=True)
    arguments = {
        "nodes": topology["nodes"],
        "bytes": bytes_per_fetch,
        "reducers": config["shuffle"]["reducers_per_worker"],
        "copiers": config["shuffle"]["copiers"],
        "edge_bps": BITS_PER_S[topology["edge"]],
        "core_bps": BITS_PER_S[topology["core"]],
        "edge_s": (latency["edge_us"] + latency["added_us"]) * 1e-6,
        "core_s": (latency["core_us"] + latency["added_us"]) * 1e-6,
        "buffer_bytes": config["buffer_bytes"],
        "mss": tcp["mss"],
        "window_segments": tcp["window_bytes"] // tcp["mss"],
        "initial_window": tcp["initial_window"],
        "delayed_ack_s": tcp["delayed_ack_ms"] * 1e-3,
        "rto_min_s": tcp["rto_min_ms"] * 1e-3,
        "jitter_s": tcp["jitter_us"] * 1e-6,
        "seed": config["seed"],
        "output": output,
    }
    words = [str(word) for pair in arguments.items() for word in pair]
    used = run(["ns", str(NS2_SCRIPT), *words], folder / "log")
    try:
        said = dict(line.split() for line in output.read_text(encoding="ascii").splitlines())
        return outcome(float(said["hops"]), float(said["makespan"]), used)
    except (OSError, ValueError, KeyError) as error:
        raise CompareError(f"{output.name}: is no result of {NS2_SCRIPT.name}: {error!r}") from error


Runner = Callable[[dict, Path], Outcome]


def found(netsim: Path, ns3: Path, fetch_bytes: Callable[[dict], int]) -> dict[str, Runner]:
    """What can be run, by name, netsim first; says on standard error what cannot. `fetch_bytes` is the size of one
    fetch of a configuration."""
    runners: dict[str, Runner] = {}
    if not netsim.is_file():
        raise CompareError(f"{netsim}: is not built")
    runners["netsim"] = lambda config, folder: run_reporting(
        [str(netsim), "run" if "jobs" in config else "shuffle"], config, folder
    )
    if ns3.is_file():
        runners["ns-3"] = lambda config, folder: run_reporting([str(ns3)], config, folder)
    else:
        print(f"compare: ns-3 is left out: {ns3} is not built (needs libns3-dev)", file=sys.stderr)
    if shutil.which("ns"):
        runners["ns-2"] = lambda config, folder: run_ns2(config, folder, fetch_bytes(config))
    else:
        print("compare: ns-2 is left out: no program ns (Debian package ns2)", file=sys.stderr)
    return runners
