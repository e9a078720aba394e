"""Writes and reads image files of Apptainer's format SIF: the same parts make the same bytes.

Apptainer itself puts a random number and the time of day into each file that it writes. All numbers are little-endian:
a header, a table of descriptors, one for each part, and the parts.
"""

from __future__ import annotations

import hashlib
import os
import platform
import struct
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO

from harness.core.errors import KvasirError

_HEADER = struct.Struct("<32s10s3s3s16s8q")
"""Launcher, magic, version, architecture, id, times; of descriptors free, total, offset, size; of data offset, size."""
_DESCRIPTOR = struct.Struct("<i?3I7q128s384s")
"""Kind, used, id, group, link; offset, size, size with padding, times, user, group; name, extra."""
_LAUNCHER = b"#!/usr/bin/env run-singularity\n"
_MAGIC = b"SIF_MAGIC\0"
_VERSION = b"01\0"
_TABLE = 4096
_SLOTS = 48
"""As many as Apptainer's own files have: signatures take the free ones."""
_DATA = _TABLE + _SLOTS * _DESCRIPTOR.size
_PAGE = 4096
_GROUP = 0xF0000001
_PARTITION = struct.Struct("<2i3s")
_SQUASHFS, _PRIMARY = 1, 2
_MACHINES = {"x86_64": b"02\0", "aarch64": b"04\0", "ppc64le": b"06\0", "s390x": b"11\0", "riscv64": b"12\0"}
METADATA = "inspect-metadata.json"
"""Name of the part that `apptainer inspect` reads."""


class Kind(IntEnum):
    """What a part holds."""

    DEFINITION = 0x4001
    PARTITION = 0x4004
    SIGNATURE = 0x4005
    JSON = 0x4006


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of an image file."""

    kind: int
    name: str
    offset: int
    """Bytes from the file's beginning."""
    size: int
    """Bytes."""
    created: int
    """Seconds since 1970."""
    modified: int
    """Seconds since 1970."""
    extra: bytes
    """Of a partition its file system, its use and its architecture."""

    @property
    def is_system(self) -> bool:
        """Tell whether it is the file system that containers start from."""
        return self.kind == Kind.PARTITION and _PARTITION.unpack_from(self.extra)[1] == _PRIMARY


@dataclass(frozen=True, kw_only=True)
class Image:
    """Header and parts of an image file."""

    id: uuid.UUID
    created: int
    """Seconds since 1970."""
    modified: int
    """Seconds since 1970."""
    parts: tuple[Part, ...]


@dataclass(frozen=True, kw_only=True)
class Content:
    """A part to be written: the file `source` as it is."""

    kind: Kind
    source: Path
    name: str = ""


def architecture(machine: str = "") -> bytes:
    """Return SIF's number of a machine as `uname -m` names it, by default this one. Raises KvasirError: has none."""
    machine = machine or platform.machine()
    if machine not in _MACHINES:
        raise KvasirError(f"images: found a machine {machine}: expected one of {', '.join(_MACHINES)}")
    return _MACHINES[machine]


def write(path: Path, contents: Sequence[Content], when: int, machine: str = "") -> None:
    """Write an image file whose parts are `contents`, all of the time `when`, seconds since 1970.

    Its id is made of the parts' bytes. Raises KvasirError when it has too many parts or a name is too long.
    """
    if len(contents) > _SLOTS:
        raise KvasirError(f"{path}: found {len(contents)} parts: expected at most {_SLOTS}")
    arch = architecture(machine)
    total = hashlib.sha256()
    table = b""
    with path.open("wb") as file:
        end = _DATA
        for number, content in enumerate(contents, start=1):
            name = content.name.encode()
            if len(name) > 128:
                raise KvasirError(f"{path}: found a part named {content.name!r}: expected at most 128 bytes")
            system = content.kind == Kind.PARTITION
            offset = -(-end // _PAGE) * _PAGE if system else end
            file.seek(offset)
            size = _copy(content.source, file, total)
            extra = _PARTITION.pack(_SQUASHFS, _PRIMARY, arch) if system else b""
            table += _DESCRIPTOR.pack(
                *(content.kind, True, number, _GROUP, 0),
                *(offset, size, offset + size - end, when, when, 0, 0),
                *(name, extra),
            )
            end = offset + size
        identity = uuid.UUID(bytes=total.digest()[:16], version=5)
        free = _SLOTS - len(contents)
        header = _HEADER.pack(
            *(_LAUNCHER, _MAGIC, _VERSION, arch, identity.bytes, when, when),
            *(free, _SLOTS, _TABLE, _SLOTS * _DESCRIPTOR.size, _DATA, end - _DATA),
        )
        file.truncate(end)
        file.seek(0)
        file.write(header)
        file.seek(_TABLE)
        file.write(table)


def _copy(source: Path, file: BinaryIO, total: hashlib._Hash) -> int:
    """Append a file, and add its length and its bytes to a hash. Returns its length."""
    with source.open("rb") as read:
        size = os.fstat(read.fileno()).st_size
        total.update(size.to_bytes(8, "little"))
        while block := read.read(1 << 20):
            total.update(block)
            file.write(block)
    return size


def read(path: Path) -> Image:
    """Read an image file's header and descriptors. Raises KvasirError when it is none, or is cut off."""
    try:
        with path.open("rb") as file:
            end = os.fstat(file.fileno()).st_size
            return _parse(file, end)
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    except KvasirError as error:
        raise KvasirError(f"{path}: {error}: delete it to have it built again") from None


def _parse(file: BinaryIO, end: int) -> Image:
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or head[32:42] != _MAGIC:
        raise KvasirError("expected an image file of format SIF, found something else")
    _, _, version, _, identity, created, modified, _, slots, table, *_ = _HEADER.unpack(head)
    if version != _VERSION:
        raise KvasirError(f"expected an image file of SIF version 01, found {version!r}")
    if slots < 0 or table < _HEADER.size or table + slots * _DESCRIPTOR.size > end:
        raise KvasirError("is an image file that is cut off")
    file.seek(table)
    parts = []
    for row in _DESCRIPTOR.iter_unpack(file.read(slots * _DESCRIPTOR.size)):
        kind, used, _, _, _, offset, size, _, born, changed, _, _, name, extra = row
        if not used:
            continue
        if offset < 0 or size < 0 or offset + size > end:
            raise KvasirError("is an image file that is cut off")
        parts.append(
            Part(
                kind=kind,
                name=name.rstrip(b"\0").decode(errors="replace"),
                offset=offset,
                size=size,
                created=born,
                modified=changed,
                extra=extra.rstrip(b"\0").ljust(_PARTITION.size, b"\0"),
            )
        )
    return Image(id=uuid.UUID(bytes=identity), created=created, modified=modified, parts=tuple(parts))


def hash_system(path: Path) -> str:
    """Hash an image's file system (SHA-256), without signatures. Raises KvasirError when it holds none."""
    system = next((part for part in read(path).parts if part.is_system), None)
    if system is None:
        raise KvasirError(f"{path}: expected a file system that containers start from, found none")
    total, left = hashlib.sha256(), system.size
    with path.open("rb") as file:
        file.seek(system.offset)
        while left and (block := file.read(min(left, 1 << 20))):
            total.update(block)
            left -= len(block)
    return total.hexdigest()
