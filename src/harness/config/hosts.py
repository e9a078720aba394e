"""What a site file says about its hosts: which kind, their networks, their disks, their share of the cores."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from harness.core.errors import HostError
from harness.core.models import Strict

NAME = r"^[a-z][a-z0-9]{0,9}$"
"""Names of interfaces and disks: Linux allows 15 characters, and a bridge port's name has the host's number."""


class Interface(Strict):
    """One network that joins all hosts."""

    rate_mbit_s: float | None = Field(
        default=None,
        gt=0,
        description="Mbit/s in each direction of each host's link; none: as fast as the machine is (emulated only)",
    )
    device: str | None = Field(default=None, description="name of the interface on a real host (slurm only)")
    names: str | None = Field(
        default=None,
        description="how a real host is called over this network, {host} being its name (slurm only)",
        examples=["{host}-ib"],
    )


class Disk(Strict):
    """One class of local storage that every host has.

    `folder`: a plain folder, as fast as the machine's file system. `memory`: a file system in memory, emulated
    hosts only. `throttled`: a plain folder whose files are read and written no faster than the rates by programs that
    use the C library's calls for it, as Java does; emulated hosts only. `device`: a file system in a file, of its own
    size and throughput, on emulated hosts where root and the kernel's control groups allow it.
    """

    medium: Literal["folder", "memory", "throttled", "device"] = "folder"
    path: Path | None = Field(default=None, description="where it lies; none: the settings' scratch folder")
    read_mb_s: float | None = Field(
        default=None, gt=0, description="10^6 bytes per second (throttled, device)"
    )
    write_mb_s: float | None = Field(
        default=None, gt=0, description="10^6 bytes per second (throttled, device)"
    )
    size_mb: int | None = Field(default=None, ge=16, description="2^20 bytes (device, memory)")

    @model_validator(mode="after")
    def _medium_has_its_fields(self) -> Self:
        rates = self.read_mb_s is not None or self.write_mb_s is not None
        if rates and self.medium not in ("throttled", "device"):
            raise ValueError(f"read_mb_s and write_mb_s need medium: throttled or device, not {self.medium}")
        if self.medium == "throttled" and not rates:
            raise ValueError("medium: throttled needs read_mb_s or write_mb_s")
        if self.medium in ("folder", "throttled") and self.size_mb is not None:
            raise ValueError("size_mb needs medium: device or memory, a folder has no size of its own")
        if self.medium in ("memory", "device") and self.size_mb is None:
            raise ValueError(f"medium: {self.medium} needs size_mb")
        if self.medium == "memory" and self.path is not None:
            raise ValueError("medium: memory lies in no path")
        return self


class SlurmHosts(Strict):
    """How steps are started on the hosts of a SLURM allocation."""

    srun: list[str] = Field(
        default=["srun"], min_length=1, description="the command, with options for every step"
    )
    nodes: list[str] = Field(default=[], description="hosts to use, in order; none: all of the allocation")
    python: str = Field(
        default="python3", description="Python >= 3.9 on the hosts, for counters and clean-up"
    )


class HostsSettings(Strict):
    """The hosts of a site."""

    kind: Literal["emulated", "local", "slurm"] = "emulated"
    interfaces: dict[str, Interface] = Field(default={"gbe": Interface(), "ib": Interface()}, min_length=1)
    default: str | None = Field(
        default=None, description="interface that plain host names mean; none: the first"
    )
    disks: dict[str, Disk] = Field(default={"ssd": Disk()})
    cpu_cores: float | None = Field(default=None, gt=0, description="CPU seconds a host may use per second")
    scratch: Path | None = Field(
        default=None,
        description="where folders of hosts are made, and removed; none: the system's temporary folder",
    )
    shared: list[Path] = Field(
        default=[], description="paths below /tmp or /dev/shm that emulated hosts see too"
    )
    queue_ms: float = Field(
        default=200, gt=0, description="longest queue of a link that has a rate, milliseconds"
    )
    start_timeout_s: float = Field(default=60, gt=0)
    slurm: SlurmHosts = SlurmHosts()

    @model_validator(mode="after")
    def _kind_has_its_fields(self) -> Self:
        for names, what in ((self.interfaces, "interface"), (self.disks, "disk")):
            for name in names:
                if not _is_name(name):
                    raise ValueError(f"{what} {name!r}: a name is a letter and at most 9 letters or digits")
        if "lo" in self.interfaces:
            raise ValueError("interface 'lo': the name is taken, every host has a loopback interface")
        if self.default is not None and self.default not in self.interfaces:
            raise ValueError(
                f"default: {self.default!r} is none of the interfaces {', '.join(self.interfaces)}"
            )
        if self.kind != "emulated":
            self._only_emulated()
        for name, interface in self.interfaces.items():
            if (self.kind == "slurm") != (interface.device is not None):
                state = "needs" if self.kind == "slurm" else "cannot have"
                raise ValueError(f"interface {name!r}: kind {self.kind} {state} a device")
        return self

    def _only_emulated(self) -> None:
        for name, interface in self.interfaces.items():
            if interface.rate_mbit_s is not None:
                raise ValueError(f"interface {name!r}: only emulated hosts have a rate, not kind {self.kind}")
        for name, disk in self.disks.items():
            if disk.medium != "folder":
                raise ValueError(
                    f"disk {name!r}: medium {disk.medium} needs emulated hosts, not kind {self.kind}"
                )
        if self.cpu_cores is not None:
            raise ValueError(f"cpu_cores: only emulated hosts have a quota, not kind {self.kind}")

    @property
    def default_interface(self) -> str:
        """The interface that a host's plain name stands for."""
        return self.default or next(iter(self.interfaces))

    @property
    def scratch_folder(self) -> Path:
        """Where folders of hosts are made unless a disk says otherwise."""
        return (self.scratch or Path(tempfile.gettempdir())).absolute()

    def disk_folder(self, disk: str) -> Path:
        """Where the folders of one disk class are made."""
        return (self.disks[disk].path or self.scratch_folder).absolute()

    @classmethod
    def parse(cls, content: object) -> HostsSettings:
        """Settings from a site file's content; HostError names each wrong key."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(str(part) for part in item['loc']) or 'hosts'}: {item['msg']}"
                for item in error.errors()
            )
            raise HostError(f"settings of hosts: {wrong}; correct the site file") from error


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 10 and name[0].isalpha() and name.isascii() and name.isalnum() and name.islower()
