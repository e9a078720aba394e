"""Image files: written and read back, the same bytes from the same parts, and clear errors for what is no image."""

import hashlib
import json
import os
import shutil
import struct
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.images import apptainer, pack, sif

parts = st.lists(
    st.tuples(st.sampled_from(list(sif.Kind)), st.text("abc.-", max_size=20), st.binary(max_size=9000)),
    max_size=8,
)
times = st.integers(0, 2**40)


def lay(folder: Path, made: list[tuple[sif.Kind, str, bytes]]) -> list[sif.Content]:
    """Files in `folder` as contents of an image."""
    found = []
    for number, (kind, name, data) in enumerate(made):
        (folder / str(number)).write_bytes(data)
        found.append(sif.Content(kind=kind, source=folder / str(number), name=name))
    return found


@given(parts, times)
def test_what_is_written_is_read_back(made: list[tuple[sif.Kind, str, bytes]], when: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "x.sif"
        sif.write(file, lay(Path(name), made), when)
        image, data = sif.read(file), file.read_bytes()
        assert image.created == image.modified == when and len(image.parts) == len(made)
        for part, (kind, title, content) in zip(image.parts, made, strict=True):
            assert (part.kind, part.name, part.size) == (kind, title, len(content))
            assert data[part.offset : part.offset + part.size] == content
            assert part.created == part.modified == when
            assert part.is_system == (kind == sif.Kind.PARTITION)
            assert part.offset % 4096 == 0 or not part.is_system
        ends = [part.offset + part.size for part in image.parts]
        assert all(end <= after.offset for end, after in zip(ends, image.parts[1:], strict=False))


@given(parts, parts, times)
def test_the_same_parts_make_the_same_bytes_and_others_another_id(
    one: list[tuple[sif.Kind, str, bytes]], other: list[tuple[sif.Kind, str, bytes]], when: int
) -> None:
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        a, b, c = Path(first) / "a.sif", Path(second) / "b", Path(second) / "c"
        sif.write(a, lay(Path(first), one), when)
        sif.write(b, lay(Path(second), one), when)
        sif.write(c, lay(Path(second), other), when)
        assert a.read_bytes() == b.read_bytes()
        same = [data for _, _, data in one] == [data for _, _, data in other]
        assert (sif.read(a).id == sif.read(c).id) == same


@given(parts, st.data())
def test_a_file_that_is_cut_off_is_one_clear_error(
    made: list[tuple[sif.Kind, str, bytes]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "x.sif"
        sif.write(file, lay(Path(name), [*made, (sif.Kind.JSON, "last", b"{}")]), 0)
        whole = file.read_bytes()
        file.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        with pytest.raises(KvasirError, match=r"cut off|something else") as raised:
            sif.read(file)
        assert str(raised.value).startswith(f"{file}: ")


@given(st.binary(max_size=200) | st.just(b"\x7fELF" + bytes(5000)))
def test_another_file_is_no_image(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "x.sif"
        file.write_bytes(data)
        with pytest.raises(KvasirError, match="expected an image file of format SIF"):
            sif.read(file)


@given(st.binary(min_size=128, max_size=128))
def test_a_damaged_header_is_an_error_or_another_header_and_never_anything_else(noise: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "x.sif"
        sif.write(file, lay(Path(name), [(sif.Kind.JSON, "a", b"{}")]), 0)
        data = bytearray(file.read_bytes())
        data[45:128] = noise[45:]
        file.write_bytes(data)
        try:
            sif.read(file)
        except KvasirError as error:
            assert "cut off" in str(error)


def test_what_cannot_be_written_or_read_is_said(tmp_path: Path) -> None:
    content = sif.Content(kind=sif.Kind.JSON, source=tmp_path / "x")
    content.source.write_bytes(b"{}")
    with pytest.raises(KvasirError, match="found 49 parts: expected at most 48"):
        sif.write(tmp_path / "image", [content] * 49, 0)
    with pytest.raises(KvasirError, match="expected at most 128 bytes"):
        long = sif.Content(kind=sif.Kind.JSON, source=content.source, name="é" * 65)
        sif.write(tmp_path / "image", [long], 0)
    with pytest.raises(KvasirError, match="found a machine pdp11: expected one of x86_64"):
        sif.architecture("pdp11")
    with pytest.raises(KvasirError, match="absent: cannot be read: No such file"):
        sif.read(tmp_path / "absent")
    sif.write(tmp_path / "image", [content], 0)
    with pytest.raises(
        KvasirError, match="image: expected a file system that containers start from, found none"
    ):
        sif.hash_system(tmp_path / "image")
    data = bytearray((tmp_path / "image").read_bytes())
    data[42:44] = b"99"
    (tmp_path / "image").write_bytes(data)
    with pytest.raises(KvasirError, match="expected an image file of SIF version 01"):
        sif.read(tmp_path / "image")


def test_the_hash_of_an_image_is_that_of_its_file_system(tmp_path: Path) -> None:
    made = [(sif.Kind.DEFINITION, "", b"one"), (sif.Kind.PARTITION, "", os.urandom(3 << 20))]
    sif.write(tmp_path / "image", lay(tmp_path, made), 5)
    assert sif.hash_system(tmp_path / "image") == hashlib.sha256(made[1][2]).hexdigest()


def test_labels_say_nothing_of_the_builder() -> None:
    labels = {pack.DATE: "today", pack.MIRROR: "http://mirror.example", "b": "2", "a": "1"}
    assert list(pack.settled(labels, "1970-01-01T00:00:00Z")) == ["a", "b", pack.DATE]
    assert pack.settled(labels, "1970-01-01T00:00:00Z")[pack.DATE] == "1970-01-01T00:00:00Z"


def filled(root: Path, builder: str, mode: int) -> Path:
    """A folder as Apptainer fills it on the machine `builder`, copied files with modes of the umask there."""
    for folder in (pack.NOTES, "etc", *pack.OWN, "bin"):
        (root / folder).mkdir(parents=True)
    (root / pack.LABELS).write_text(json.dumps({pack.DATE: builder, pack.MIRROR: builder, "title": "x"}))
    (root / pack.DEFINITION).write_text(f"Bootstrap: debootstrap\nMirrorURL: {builder}\n")
    for name in pack.BUILDERS:
        (root / name).write_text(builder)
    for own in pack.OWN:
        (root / own / "test").write_text("exit 0\n")
        (root / own / "test").chmod(mode)
        (root / own / "link").symlink_to("nowhere")
    (root / "bin/sh").write_bytes(b"a shell")
    (root / "bin/sh").chmod(0o755)
    return root


@pytest.mark.skipif(shutil.which("mksquashfs") is None, reason="there is no mksquashfs here")
def test_two_builders_pack_the_same_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apptainer, "run", lambda words: "/nonexistent\n" if words[0] == "buildcfg" else "{}")
    made = []
    for builder, mode in (("here", 0o600), ("elsewhere", 0o664)):
        place = tmp_path / builder / "with a blank"
        root = filled(place / "root", builder, mode)
        pack.settle(root, "Bootstrap: debootstrap\nMirrorURL: {{ mirror }}\n", "2001-01-01T00:00:00Z")
        pack.pack(root, place / "image.sif", place, 978307200)
        made.append((place / "image.sif").read_bytes())
    assert made[0] == made[1]
    assert sif.read(tmp_path / "here/with a blank/image.sif").created == 978307200


def test_a_folder_that_apptainer_did_not_fill_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match=r"Apptainer was expected to write \.singularity\.d/labels\.json"):
        pack.settle(tmp_path, "", "2001-01-01T00:00:00Z")


@pytest.mark.skipif(shutil.which(apptainer.PROGRAM) is None, reason="there is no Apptainer here")
def test_apptainer_reads_what_we_write_and_we_read_what_it_writes(tmp_path: Path) -> None:
    squashfs, note = b"hsqs" + bytes(5000), b'{"data": 1}'
    made = [(sif.Kind.DEFINITION, "", b"Bootstrap: x\n"), (sif.Kind.JSON, sif.METADATA, note)]
    sif.write(
        tmp_path / "ours", lay(tmp_path, [*made, (sif.Kind.PARTITION, "", squashfs)]), 978307200, "x86_64"
    )
    header = apptainer.run(["sif", "header", str(tmp_path / "ours")])
    assert str(sif.read(tmp_path / "ours").id) in header and "amd64" in header and "run-singularity" in header
    listing = apptainer.run(["sif", "list", str(tmp_path / "ours")])
    assert "FS (Squashfs/*System/amd64)" in listing and "Def.FILE" in listing and "JSON.Generic" in listing
    with (tmp_path / "dumped").open("wb") as out:
        subprocess.run(["apptainer", "sif", "dump", "3", str(tmp_path / "ours")], stdout=out, check=True)
    assert (tmp_path / "dumped").read_bytes() == squashfs

    theirs = str(tmp_path / "theirs")
    apptainer.run(["sif", "new", theirs])
    for number, options in enumerate((["1"], ["6"], ["4", "--parttype=2", "--partfs=1", "--partarch=2"])):
        apptainer.run(
            ["sif", "add", theirs, str(tmp_path / str(number)), "--groupid=1", "--datatype", *options]
        )
    known, own = sif.read(Path(theirs)), sif.read(tmp_path / "ours")
    assert [(p.kind, p.offset, p.size, p.extra) for p in known.parts] == [
        (p.kind, p.offset, p.size, p.extra) for p in own.parts
    ]
    # All but the launcher, the id, the times and the names, which it takes from the files.
    ours, other = (bytearray(Path(file).read_bytes()) for file in (tmp_path / "ours", theirs))
    for data in (ours, other):
        data[0:32] = bytes(32)
        data[48:80] = bytes(32)
        for slot in range(3):
            at = 4096 + slot * 585
            data[at + 41 : at + 57] = bytes(16)
            data[at + 73 : at + 201] = bytes(128)
    assert ours == other
    assert known.id != uuid.UUID(int=0) and struct.calcsize("<i?3I7q128s384s") == 585
