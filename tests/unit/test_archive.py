"""Archives of results: what is packed is unpacked, the same files give the same bytes, and nothing else is taken."""

import io
import lzma
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.config.archive import PROVENANCE, RECORDS, Refused, digest_of, read_provenance
from harness.config.load import REPLAYED, load_config, read_top
from harness.config.site import Site
from harness.core.errors import KvasirError
from harness.plan.planner import Planner, config_overrides
from harness.report.provenance import planned
from harness.results.archive import check_sums, pack, unpack

PROJECT = Path(__file__).parents[2]
CONFIG = PROJECT / "config"
SITE = Site.model_validate(yaml.safe_load((CONFIG / "sites/local.yaml").read_text()))
FILES = {
    "runs/mimir/a/b/1/run.json": "{}",
    "tables/mimir/parameters.csv": "x\n1\n",
    "claims/mimir.csv": "id\n",
}


def origin(**more: Any) -> dict[str, Any]:
    return {
        "scale": "smoke",
        "seed": 5,
        "studies": ["mimir", "nvm"],
        "site_name": "elsewhere",
        "site": SITE,
        "refused": Refused(caps="no caps there", disks={"ssd": "no ssd there", "hdd": "", "sata": ""}),
        "commit": "c",
        "dirty": False,
        "began": "2026-01-01",
        "ended": "2026-01-02",
        "runs": {"ok": 1},
        "machines": ["m"],
        **more,
    }


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    """A folder with an archive of two files and one table of verdicts."""
    results = tmp_path / "results/smoke"
    for name, text in FILES.items():
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(text)
    packed = [path for path in sorted(results.rglob("*.*")) if path.parent.name != "claims"]
    for target in ("archives", "again"):
        pack(packed, results, tmp_path / target / "smoke", origin())
    return tmp_path / "archives"


def test_what_is_packed_is_unpacked_and_packing_again_gives_the_same_bytes(
    archives: Path, tmp_path: Path
) -> None:
    folder, again = archives / "smoke", tmp_path / "again/smoke"
    assert (folder / RECORDS).read_bytes() == (again / RECORDS).read_bytes()
    assert (folder / PROVENANCE).read_text() == (again / PROVENANCE).read_text()
    assert (folder / "claims/mimir.csv").read_text() == FILES["claims/mimir.csv"]
    check_sums(folder)
    target = tmp_path / "replayed/smoke"
    unpack(archives, "smoke", target)
    found = {
        path.relative_to(target).as_posix(): path.read_text() for path in target.rglob("*.*") if path.suffix
    }
    assert found == {name: text for name, text in FILES.items() if not name.startswith("claims")}


def test_another_archive_takes_the_place_of_all_that_was_made_of_the_one_before(
    archives: Path, tmp_path: Path
) -> None:
    target = tmp_path / "replayed/smoke"
    unpack(archives, "smoke", target)
    (target / "report.html").write_text("made")
    unpack(archives, "smoke", target)
    assert (target / "report.html").exists(), "the same archive: nothing is made again"
    results = tmp_path / "results/smoke"
    (results / "runs/mimir/a/b/1/run.json").write_text("{ }")
    pack([results / "runs/mimir/a/b/1/run.json"], results, archives / "smoke", origin())
    unpack(archives, "smoke", target)
    assert not (target / "report.html").exists()
    assert (target / "runs/mimir/a/b/1/run.json").read_text() == "{ }"


@pytest.mark.parametrize("name", ["/etc/motd", "../outside", "runs/../../outside", "link"])
def test_a_member_that_leads_elsewhere_is_refused(archives: Path, tmp_path: Path, name: str) -> None:
    packed = archives / "smoke" / RECORDS
    with lzma.open(packed, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        entry = tarfile.TarInfo(name)
        if name == "link":
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(entry, io.BytesIO())
    provenance = archives / "smoke" / PROVENANCE
    before = read_provenance(archives, "smoke").sha256
    provenance.write_text(provenance.read_text().replace(before, digest_of(packed)))
    target = tmp_path / "replayed/smoke"
    with pytest.raises(KvasirError, match="expected files of results"):
        unpack(archives, "smoke", target)
    assert not target.exists() and not list(target.parent.iterdir()), "nothing is half-unpacked"


@pytest.mark.parametrize("file", [RECORDS, "claims/mimir.csv"])
def test_a_file_that_was_changed_is_found(archives: Path, file: str) -> None:
    with (archives / "smoke" / file).open("ab") as changed:
        changed.write(b" ")
    with pytest.raises(KvasirError, match="fetch it again"):
        check_sums(archives / "smoke")


def test_a_replay_plans_what_the_archives_site_could_do(
    archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    values = {**read_top(CONFIG), "scale": "smoke", "site": "local", "replay": str(archives)}
    planner = Planner(values, CONFIG)
    config = planner.config
    assert (config.top.seed, config.top.site, config.results) == (5, "elsewhere", f"{REPLAYED}/smoke")
    assert list(config.studies) == ["mimir", "nvm"], "those that the archive has"
    assert planner.capabilities.caps == "no caps there"
    reasons = {left.reason for table in planner.plan("nvm").tables.values() for left in table.not_run}
    assert "no ssd there" in reasons
    told = dict(choice.split("=", 1) for choice in config_overrides(config))
    assert Planner({**values, **told}, CONFIG).tables == planner.tables, "jobs plan the same"


def test_a_replay_leaves_out_the_experiments_that_its_archive_is_older_than(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    file = tmp_path / "again/smoke" / PROVENANCE
    told = file.read_text().replace('"experiments": {}', '"experiments": {"nvm": ["spill"]}')
    file.write_text(told)

    def points(replayed: Path) -> set[str]:
        values = {**read_top(CONFIG), "scale": "smoke", "studies": ["nvm"], "replay": str(replayed)}
        return set(planned(Planner(values, CONFIG).plan("nvm").tables))

    assert points(tmp_path / "again") == {"spill"}
    assert points(archives) > {"spill"}, "an archive that says nothing has all of them"


def test_what_an_archive_lacks_is_named(archives: Path) -> None:
    values = {**read_top(CONFIG), "scale": "laptop", "replay": str(archives)}
    with pytest.raises(KvasirError, match="expected an archive of scale laptop, found smoke"):
        load_config(values, CONFIG)
    values |= {"scale": "smoke", "studies": "mimir,eee"}
    with pytest.raises(KvasirError, match=r"STUDIES=mimir,eee: .* holds no runs of eee: allowed: mimir, nvm"):
        load_config(values, CONFIG, {"studies": "STUDIES=mimir,eee"})
