"""Reads the configuration and turns every mistake in it into one message: file, key, found, allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from harness.config.anchors import ANCHORS, Anchor
from harness.config.archive import read_provenance
from harness.config.benchmarks import BenchmarkId, NamedCommand
from harness.config.cells_study import CellsScale, CellsStudy, CellsStudyScale
from harness.config.engine_study import EngineScale, EngineStudy
from harness.config.frameworks import MIMIR, FrameworkEntry, FrameworkId
from harness.config.hadoop import Properties
from harness.config.levers import LEVERS, Lever
from harness.config.netsim_study import NetsimScale, NetsimStudy
from harness.config.scale import CELLS, SCALES, Scale, StudyScale
from harness.config.site import Site
from harness.config.study import FOR_FIGURES, Study
from harness.config.top import Top
from harness.core.errors import KvasirError

Model = TypeVar("Model")

STUDY: TypeAdapter[Study] = TypeAdapter(
    Annotated[EngineStudy | NetsimStudy | CellsStudy, Field(discriminator="kind")]
)
"""A study of any kind: a new kind adds its class here, and the model of its sizes in SCALES."""

FRAMEWORKS: TypeAdapter[dict[FrameworkId, FrameworkEntry]] = TypeAdapter(dict[FrameworkId, FrameworkEntry])
BENCHMARKS: TypeAdapter[dict[BenchmarkId, NamedCommand]] = TypeAdapter(dict[BenchmarkId, NamedCommand])
PROFILE: TypeAdapter[Properties] = TypeAdapter(Properties)
"""Content of a file that a framework's `profiles` name, its nested keys joined."""


@dataclass(frozen=True)
class Config:
    """Everything the configuration says, checked."""

    top: Top
    scale: Scale
    site: Site
    studies: dict[str, Study]
    frameworks: dict[str, FrameworkEntry]

    @property
    def results(self) -> str:
        """Root of this scale's results, relative to the working directory."""
        return f"{self.site.results}/{self.top.scale}"


_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Every job of the workflow reads the whole configuration: libyaml does it in a tenth of the time."""


class Loader(_FAST):  # type: ignore[misc]
    """Reads YAML that names each key of a mapping once. Raises ConstructorError for a second one."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Returns a mapping; keys that come by `<<` from elsewhere may be named again."""
        seen: dict[Any, Any] = {}
        own = range(node.start_mark.index, node.end_mark.index)
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.start_mark.index not in own:
                continue
            if key.value in seen:
                first = seen[key.value].start_mark.line + 1
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key.value!r} is given twice, first in line {first}", key.start_mark
                )
            seen[key.value] = key
        return super().construct_mapping(node, deep)


REPLAYED = "results-replay"
"""Root of the results that are made from archives."""
EXAMPLE = ".example.yaml"
"""End of the name of a file that its user copies and fills in."""


def results_folders() -> list[Path]:
    """Returns the folders of own results that are there: `results*`, replays left out, and those that site files name.

    Raises KvasirError when a site file is broken.
    """
    named = {
        str(read_yaml(path).get("results", "results")) for path in Path("config/sites").glob("*.yaml")
    } | {path.name for path in Path().glob("results*")}
    return sorted(Path(name) for name in named - {REPLAYED} if Path(name).is_dir())


def describe(
    error: ValidationError,
    file: str,
    tagged: bool = False,
    section: str = "",
    typed: Mapping[str, str] | None = None,
) -> str:
    """Returns one line a mistake: `file: key: found VALUE: what is allowed`.

    `tagged`: the model is one of several; `section`: the key below which all of it stands; `typed`: by key, what the
    user typed instead of writing it into the file, as `SCALE=huge`, which then takes the place of file and key.
    """
    lines = []
    for item in error.errors():
        # The name of a study's kind is part of pydantic's path but not of the file.
        parts = item["loc"][1:] if tagged else item["loc"]
        key = ".".join(str(part) for part in (*filter(None, [section]), *parts)) or "(the whole file)"
        found = repr(item["input"])
        if typed and parts and str(parts[0]) in typed:
            what = "no such key is known here" if item["type"] == "extra_forbidden" else item["msg"]
            if parts[0] == "studies" and item["type"] == "string_pattern_mismatch":
                what = "separate the names of studies by commas, as in mimir,eee"
            lines.append(f"{typed[str(parts[0])]}: {what.removeprefix('Value error, ')}")
        elif item["type"] == "missing":
            lines.append(f"{file}: {key}: found nothing: this key is required")
        elif item["type"] == "extra_forbidden":
            lines.append(f"{file}: {key}: found {found[:80]}: no such key is known here")
        else:
            lines.append(f"{file}: {key}: found {found[:80]}: {item['msg'].removeprefix('Value error, ')}")
    return "\n".join(lines)


def parse(
    model: TypeAdapter[Model] | type[Model],
    data: object,
    file: str,
    section: str = "",
    typed: Mapping[str, str] | None = None,
) -> Model:
    """Returns `data` as a `model`.

    Raises KvasirError naming `file`, and `section` if `data` stands below a key, or what the user `typed` instead.
    """
    try:
        return (model if isinstance(model, TypeAdapter) else TypeAdapter(model)).validate_python(data)
    except ValidationError as error:
        mistakes = describe(error, file, tagged=model is STUDY, section=section, typed=typed)
        raise KvasirError(mistakes) from None


def read_yaml(path: Path) -> Any:
    """The content of a YAML file. Raises KvasirError when it cannot be read or is not YAML."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise KvasirError(f"{path}: not a YAML file: {where}{error.problem or error.context}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise KvasirError(f"{path}: not a YAML file: {' '.join(str(error).split())}") from None


def read_top(folder: Path = Path("config")) -> dict[str, Any]:
    """The content of config.yaml, unchecked but for being keys with values. Raises KvasirError otherwise."""
    path = folder / "config.yaml"
    values = read_yaml(path)
    if not isinstance(values, dict):
        raise KvasirError(f"{path}: found {str(values)[:80]!r}, expected lines `key: value`")
    return values


def read_named(
    model: TypeAdapter[Model] | type[Model],
    folder: Path,
    name: str,
    key: str,
    typed: Mapping[str, str] | None = None,
) -> Model:
    """The file of `folder` called `name`.yaml; a name that is not there is reported with those that are."""
    path = folder / f"{name}.yaml"
    if not path.is_file():
        found = (typed or {}).get(key) or f"{folder.parent}/config.yaml: {key}: found {name!r}"
        example = path.with_suffix(EXAMPLE)
        if example.is_file():
            raise KvasirError(
                f"{found}, but there is no {path}: copy {example} to it and write down what yours is like"
            )
        there = [p.stem for p in folder.glob("*.yaml") if not p.name.endswith(EXAMPLE)]
        raise KvasirError(f"{found}: {hint(name, there)}")
    return parse(model, read_yaml(path), str(path))


def load_config(
    values: dict[str, Any], folder: Path = Path("config"), typed: Mapping[str, str] | None = None
) -> Config:
    """The checked configuration for the top-level `values` (config.yaml with the user's overrides).

    `typed` says by key what the user typed where that is not what config.yaml has: mistakes there name it instead.
    Raises KvasirError: one line for each mistake, naming file, key, what was found and what is allowed.
    """
    top = parse(Top, values, str(folder / "config.yaml"), typed=typed)
    if top.replay is None:
        site = read_named(Site, folder / "sites", top.site, "site", typed)
    else:
        top, site = _replayed(top, Path(top.replay), typed or {})
    studies = {name: read_named(STUDY, folder / "studies", name, "studies", typed) for name in top.studies}
    for name, study in studies.items():
        if name == CELLS:
            raise KvasirError(
                f"{folder}/studies/{name}.yaml: id: found {name!r}: a scale's section has this name"
            )
        if study.id != name:
            raise KvasirError(
                f"{folder}/studies/{name}.yaml: id: found {study.id!r}: must be the file's name, {name!r}"
            )
        _require_tables(study, f"{folder}/studies/{name}.yaml")
    scale = read_scale(folder, top.scale, studies, typed)
    if top.replay is not None:
        scale = _as_archived(scale, studies, read_provenance(Path(top.replay), top.scale).experiments)
    scale = _with_commands(scale, read_commands(folder / "benchmarks.yaml"))
    file = folder / "frameworks.yaml"
    entries = parse(FRAMEWORKS, read_yaml(file), str(file))
    _require_scales(entries, folder / "scales", str(file))
    frameworks = {
        name: _with_profiles(name, entry.at(top.scale), str(file)).on(_found_in(entry.home, entry.needs))
        for name, entry in entries.items()
    }
    for name, study in studies.items():
        if isinstance(study, EngineStudy):
            try:
                studies[name] = study.beside_engine(frameworks)
            except KvasirError as error:
                raise KvasirError(f"{folder}/studies/{name}.yaml: {error}") from None
        if isinstance(study, CellsStudy):
            _require_frameworks(study, frameworks, f"{folder}/studies/{name}.yaml", str(file))
    return Config(top, scale, site, studies, frameworks)


def _replayed(top: Top, archives: Path, typed: Mapping[str, str]) -> tuple[Top, Site]:
    """Returns choices and site of the runs in an archive: its plan is theirs, and nothing runs any more.

    Raises KvasirError when there is no archive of the scale, or it lacks a study that was asked for.
    """
    origin = read_provenance(archives, top.scale)
    absent = [study for study in top.studies if study not in origin.studies]
    if absent and ("studies" in typed or absent == top.studies):
        asked = typed.get("studies", f"studies: found {', '.join(top.studies)}")
        raise KvasirError(
            f"{asked}: {archives}/{top.scale} holds no runs of {', '.join(absent)}: "
            f"allowed: {', '.join(origin.studies)}"
        )
    studies = [study for study in top.studies if study in origin.studies]
    site = origin.site.model_copy(update={"results": REPLAYED, "batch": None, "here": True})
    chosen = {"studies": studies, "seed": origin.seed, "site": origin.site_name}
    return top.model_copy(update=chosen), site


def _as_archived(
    scale: Scale, studies: Mapping[str, Study], experiments: Mapping[str, Sequence[str]]
) -> Scale:
    """Returns a scale that leaves out the experiments that an archive is older than; `experiments`: those it has."""
    sections = dict(scale.studies)
    for name, study in studies.items():
        own, had = sections[name], experiments.get(name)
        if had is not None and isinstance(own, CellsStudyScale | NetsimScale):
            newer = [known for known in study.experiments if known not in {*had, *own.leave_out}]
            sections[name] = own.model_copy(update={"leave_out": [*own.leave_out, *newer]})
    return replace(scale, studies=sections)


def read_commands(path: Path) -> dict[str, NamedCommand]:
    """Returns the user's commands that are benchmarks, by name; none without a file. Raises KvasirError."""
    return parse(BENCHMARKS, read_yaml(path) or {}, str(path)) if path.is_file() else {}


def _with_commands(scale: Scale, commands: Mapping[str, NamedCommand]) -> Scale:
    """Returns a scale that has the user's commands among its benchmarks; what it says of one itself wins."""
    if scale.cells is None:
        return scale
    named = {
        name: {
            **entry.model_dump(exclude_unset=True, exclude_none=True),
            **scale.cells.benchmarks.get(name, {}),
        }
        for name, entry in commands.items()
    }
    benchmarks = {**scale.cells.benchmarks, **named}
    return replace(scale, cells=scale.cells.model_copy(update={"benchmarks": benchmarks}))


def read_scale(
    folder: Path, name: str, studies: Mapping[str, Study], typed: Mapping[str, str] | None = None
) -> Scale:
    """Returns the sizes of `studies` at scale `name`.

    Sections of other studies are left alone, as their files are. Raises KvasirError with a line for each mistake.
    """
    content = read_named(dict[str, Any], folder / "scales", name, "scale", typed)
    file = f"{folder}/scales/{name}.yaml"
    known = {CELLS, *(path.stem for path in (folder / "studies").glob("*.yaml"))}
    wrong = [
        f"{file}: {key}: found {str(value)[:80]!r}: no such key is known here: {hint(key, known)}"
        for key, value in content.items()
        if key not in known
    ]
    sections = frozenset(key for key, value in content.items() if value is not None)
    found: dict[str, StudyScale] = {}
    cells = None
    try:
        if CELLS in sections:
            cells = parse(CellsScale, content[CELLS], file, CELLS)
    except KvasirError as error:
        wrong.append(str(error))
    for study in studies.values():
        if study.id not in sections:
            wrong.append(f"{file}: {study.id}: found nothing: the scale has no sizes for this")
            continue
        try:
            section = parse(SCALES[study.kind], content[study.id], file, study.id)
        except KvasirError as error:
            wrong.append(str(error))
            continue
        if isinstance(study, EngineStudy) and isinstance(section, EngineScale):
            wrong += [f"{file}: {study.id}.{mistake}" for mistake in section.mistakes(study)]
        if isinstance(study, CellsStudy) and CELLS not in sections:
            wrong.append(f"{file}: {CELLS}: found nothing: study {study.id} needs it")
        found[study.id] = section
    if wrong:
        raise KvasirError("\n".join(wrong))
    return Scale(sections, cells, found)


def hint(name: str, known: Iterable[str]) -> str:
    """Returns what is allowed instead of `name`, and which of it was probably meant."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, 1)
    return f"allowed: {', '.join(names) or 'none'}" + (f"; did you mean {close[0]!r}?" if close else "")


def _found_in(home: Path | None, patterns: Iterable[str]) -> list[str]:
    """Returns those of `patterns` that a file below a home is called by."""
    return [pattern for pattern in patterns if home is not None and any(home.glob(pattern))]


def _with_profiles(name: str, entry: FrameworkEntry, file: str) -> FrameworkEntry:
    """Returns an entry whose job properties have those of its profiles. Raises KvasirError when a profile is wrong."""
    found: dict[str, str] = {}
    for path in entry.profiles:
        try:
            found.update(read_profile(path))
        except KvasirError as error:
            raise KvasirError(f"{file}: {name}.profiles: {error}") from None
    return entry.model_copy(update={"profiles": [], "job_properties": {**found, **entry.job_properties}})


def read_anchors(path: Path) -> dict[str, Anchor]:
    """Returns the published results that figures show, by id. Raises KvasirError when the file is wrong."""
    return parse(ANCHORS, read_yaml(path), str(path))


def read_levers(path: Path) -> dict[str, Lever]:
    """Returns the changes whose effects are set beside each other, by id. Raises KvasirError when the file is wrong."""
    return parse(LEVERS, read_yaml(path), str(path))


def read_profile(path: Path) -> Properties:
    """Returns the job properties of a profile: its keys, nested ones joined by dots. KvasirError when it is wrong."""
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise KvasirError(f"{path}: found {str(content)[:80]!r}, expected properties with their values")
    return parse(PROFILE, dict(_joined("", content)), str(path))


def _joined(prefix: str, value: object) -> Iterator[tuple[str, object]]:
    """Yields the properties of nested keys, joined by dots."""
    if not isinstance(value, dict):
        yield prefix, value
        return
    for key, inner in value.items():
        yield from _joined(f"{prefix}.{key}" if prefix else str(key), inner)


def _require_tables(study: Study, file: str) -> None:
    """Check the tables of a study's figures. Raises KvasirError when there is none of that name."""
    known = [f"{name}{ending}" for name in study.experiments for ending in study.endings(name)]
    for figure in study.figures:
        for table in figure.tables:
            if table not in (*known, *FOR_FIGURES):
                allowed = hint(table, [*known, *FOR_FIGURES])
                raise KvasirError(f"{file}: figures.{figure.id}.tables: found {table!r}: {allowed}")


def _require_scales(entries: Mapping[str, FrameworkEntry], scales: Path, file: str) -> None:
    """Check the scales that leave frameworks out. Raises KvasirError when there is none of that name."""
    known = [path.stem for path in scales.glob("*.yaml")]
    for name, entry in entries.items():
        if unknown := sorted(set(entry.missing_at) - set(known)):
            raise KvasirError(f"{file}: {name}.missing_at: found {unknown[0]!r}: {hint(unknown[0], known)}")


def _require_frameworks(
    study: CellsStudy, known: dict[str, FrameworkEntry], file: str, frameworks: str
) -> None:
    for name, experiment in study.experiments.items():
        levels = experiment.levels_of("framework") or {str(study.defaults["framework"])}
        able = [framework for framework, entry in known.items() if entry.kind != MIMIR]
        if unknown := sorted(levels - set(able)):
            raise KvasirError(
                f"{file}: experiments.{name}: found framework {', '.join(unknown)}: allowed are those of "
                f"{frameworks} that run on HDFS: {', '.join(able)}"
            )
