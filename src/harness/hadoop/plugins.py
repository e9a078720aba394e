"""Loads plug-ins of Hadoop and puts together what those of one cluster contribute.

A plug-in is a folder with plugin.yaml and a Maven module (pom.xml, see src/hadoop/pom.xml) or a ready jar. Its name is
the folder's. An entry of config/frameworks.yaml names it: one of src/hadoop/plugins by name, any other by its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PositiveInt, StringConstraints, field_validator

from harness.config.frameworks import FrameworkEntry
from harness.config.hadoop import Properties
from harness.config.load import parse, read_yaml
from harness.core.errors import KvasirError
from harness.core.models import Strict

OURS = Path("src/hadoop/plugins")
JOBS = Path("src/hadoop/workloads")
BUILT = Path("build/hadoop-plugins")
"""Where each Hadoop has a folder, with a folder of each plug-in and beside it the file that the workflow waits for."""
DECLARATION = "plugin.yaml"
LOCK = "jars.lock"
"""SHA-256 of the jars of others that a plug-in's jar is made of, as sha256sum writes them; it may be left out."""
STOCK_SERVICE = "mapreduce_shuffle"
SERVICES = "yarn.nodemanager.aux-services"

ServiceName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
ClassName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*$")]


class Declaration(Strict):
    """Content of a plug-in's plugin.yaml."""

    jar: str | None = Field(
        default=None, description="ready jar, relative to the folder; none: Maven builds one from pom.xml"
    )
    needs: list[str] = Field(
        default_factory=list,
        description="plug-ins that come with it, whose classes it may use: names or paths as in frameworks.yaml",
    )
    uses_jobs: bool = Field(
        default=False, description="whether its classes use those of our jobs (src/hadoop/workloads)"
    )
    apart: bool = Field(
        default=False,
        description=f"whether the jars of {LOCK} stay beside its own, for programs that name them; otherwise they are "
        "part of it, and on the class path of all daemons and tasks",
    )
    download_mb: PositiveInt | None = Field(
        default=None,
        description=f"size of the jars of {LOCK}, 2^20 bytes, which is told before Maven gets them",
    )
    aux_services: dict[ServiceName, ClassName] = Field(
        default_factory=dict, description="services of every NodeManager by name, with their classes"
    )
    site: dict[Literal["yarn-site.xml", "mapred-site.xml"], Properties] = Field(
        default_factory=dict, description="properties of the cluster, which all its daemons and jobs see"
    )
    environment: list[VariableName] = Field(
        default_factory=list,
        description="environment variables that tasks have from their host; Hadoop keeps others from them",
    )
    job_properties: Properties = Field(
        default_factory=dict, description="properties of the jobs of each framework that names the plug-in"
    )

    @field_validator("aux_services")
    @classmethod
    def _leaves_the_stock_shuffle(cls, services: dict[str, str]) -> dict[str, str]:
        if STOCK_SERVICE in services:
            raise ValueError(
                f"{STOCK_SERVICE} is Hadoop's own shuffle, which other frameworks use: choose another name"
            )
        return services

    @field_validator("site")
    @classmethod
    def _declares_services_as_such(cls, site: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        # A NodeManager has one list of them, put together from all plug-ins of the cluster.
        if SERVICES in site.get("yarn-site.xml", {}):
            raise ValueError(f"{SERVICES} is put together by the harness: name services in aux_services")
        return site


def module_sources(folder: Path) -> list[Path]:
    """Return the files that the jar of a Maven module is made from, sorted."""
    main = (path for path in (folder / "src/main").rglob("*") if path.is_file())
    return sorted([folder / "pom.xml", *main])


class Plugin(Declaration):
    """Describes a plug-in that was found."""

    name: str
    folder: str

    @property
    def reference(self) -> str:
        """How an entry of config/frameworks.yaml names it: a path with a slash."""
        return self.folder if "/" in self.folder else f"./{self.folder}"

    @property
    def download(self) -> str:
        """What Maven may have to get for it, as a line; '' where that is little."""
        size = f"{self.download_mb} MB of released jars, unless it has them"
        return f"plug-in {self.name}: Maven gets {size}" if self.download_mb else ""

    def sources(self) -> list[Path]:
        """Return the files that its jar is made from, and its declaration, sorted."""
        folder = Path(self.folder)
        if self.jar:
            return sorted([folder / DECLARATION, folder / self.jar])
        lock = [folder / LOCK] if (folder / LOCK).is_file() else []
        return sorted([folder / DECLARATION, *lock, *module_sources(folder)])


def load_plugin(reference: str) -> Plugin:
    """Return the plug-in that a framework's entry names: one of ours by name, or a folder by a path with a slash.

    Raises KvasirError when there is none, or its declaration is wrong.
    """
    path = Path(reference).expanduser()
    folder = path if "/" in reference else OURS / reference
    file = folder / DECLARATION
    if not file.is_file():
        ours = ", ".join(sorted(found.parent.name for found in OURS.glob(f"*/{DECLARATION}"))) or "none"
        raise KvasirError(
            f"plug-in {reference}: found no {file}: name one of {OURS} ({ours}), or a folder by a path with a slash"
        )
    declared = parse(Declaration, read_yaml(file) or {}, str(file))
    needed = declared.jar or "pom.xml"
    if not (folder / needed).is_file():
        raise KvasirError(f"{folder}: expected {needed}, {'the jar' if declared.jar else 'a Maven module'}")
    return Plugin(name=folder.resolve().name, folder=str(folder), **declared.model_dump())


def load_plugins(references: Iterable[str]) -> dict[str, Plugin]:
    """Return plug-ins and those that they need, by name.

    Raises KvasirError when one is not there, two have one name, or one needs itself.
    """
    found: dict[str, Plugin] = {}
    for reference in references:
        found = together(found, _with_needs(reference, ()))
    return found


def _with_needs(reference: str, needed_by: tuple[str, ...]) -> dict[str, Plugin]:
    plugin = load_plugin(reference)
    if plugin.name in needed_by:
        circle = " needs ".join((*needed_by[needed_by.index(plugin.name) :], plugin.name))
        raise KvasirError(f"plug-in {plugin.name} needs itself: {circle}: change needs in one {DECLARATION}")
    found = {plugin.name: plugin}
    for needed in plugin.needs:
        found = together(found, _with_needs(needed, (*needed_by, plugin.name)))
    return found


def jar_in(folder: Path) -> Path:
    """Return the jar in the folder that a plug-in was built in."""
    return folder / f"{folder.name}.jar"


def released_in(folder: Path) -> Path:
    """Return the jar in that folder which only names the jars of others, if they stay apart from the plug-in's."""
    return folder / "released.jar"


def facts_of(name: str, distribution: str) -> str:
    """Return the file that says what a plug-in is that was built for a folder below build/hadoop."""
    return str(BUILT / distribution / f"{name}.json")


def plugin_on(distribution: str, name: str, frameworks: Mapping[str, FrameworkEntry]) -> Plugin:
    """Return the plug-in of a name that frameworks on a folder below build/hadoop use, at whichever scale.

    Raises KvasirError when there is none, or another of the same name.
    """
    found: dict[str, Plugin] = {}
    for framework, entry in frameworks.items():
        if entry.distribution(framework) != distribution:
            continue
        try:
            plugins = load_plugins(entry.plugins)
        except KvasirError:
            if not entry.missing:
                raise
            continue
        if name in plugins:
            found = together(found, {name: plugins[name]})
    if not found:
        raise KvasirError(
            f"plug-in {name}: no framework on {distribution} uses it: name it in frameworks.yaml"
        )
    return found[name]


def sources_of(plugin: Plugin) -> list[str]:
    """Return the files that a plug-in is built from: its own and those of the plug-ins that it needs."""
    plugins = [plugin, *load_plugins(plugin.needs).values()]
    jobs = module_sources(JOBS) if any(one.uses_jobs for one in plugins) else []
    return [str(path) for path in [*jobs, *(path for one in plugins for path in one.sources())]]


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What plug-ins add to the configuration of a cluster."""

    aux_services: dict[str, str]
    site: dict[str, dict[str, str]]
    environment: tuple[str, ...]
    """Names of variables, sorted."""


def contribution(plugins: Iterable[Plugin]) -> Contribution:
    """Return services, properties and variables of all plug-ins of a cluster.

    Raises KvasirError when two of them want one service or property differently.
    """
    services: dict[str, tuple[str, Plugin]] = {}
    site: dict[str, dict[str, tuple[str, Plugin]]] = {}
    variables: set[str] = set()
    for plugin in plugins:
        variables.update(plugin.environment)
        _add(services, plugin.aux_services, plugin, "NodeManager service")
        for file, properties in plugin.site.items():
            _add(site.setdefault(file, {}), properties, plugin, f"{file}:")
    return Contribution(
        aux_services={name: value for name, (value, _) in services.items()},
        site={file: {name: value for name, (value, _) in found.items()} for file, found in site.items()},
        environment=tuple(sorted(variables)),
    )


def together(some: Mapping[str, Plugin], others: Mapping[str, Plugin]) -> dict[str, Plugin]:
    """Return the plug-ins of a cluster that has `some` and `others`, by name.

    Raises KvasirError when they cannot share a cluster.
    """
    for name in some.keys() & others.keys():
        if some[name] != others[name]:
            raise KvasirError(
                f"plug-in {name}: found in {some[name].folder} and {others[name].folder}: rename one of the folders"
            )
    found = dict(sorted({**some, **others}.items()))
    contribution(found.values())
    return found


def job_properties(own: Mapping[str, str], plugins: Iterable[Plugin]) -> dict[str, str]:
    """Return the properties of a framework's jobs: those of its plug-ins, and its `own`, which win.

    Raises KvasirError when two plug-ins want a property differently that is not among its own.
    """
    found: dict[str, tuple[str, Plugin]] = {}
    for plugin in plugins:
        left = {name: value for name, value in plugin.job_properties.items() if name not in own}
        _add(found, left, plugin, "job property")
    return dict(sorted({**{name: value for name, (value, _) in found.items()}, **own}.items()))


def _add(found: dict[str, tuple[str, Plugin]], more: Mapping[str, str], plugin: Plugin, what: str) -> None:
    for name, value in more.items():
        known, first = found.setdefault(name, (value, plugin))
        if known != value:
            raise KvasirError(
                f"{what} {name}: plug-in {first.name} wants {known!r}, plug-in {plugin.name} {value!r}: "
                "they cannot share it; change one of them"
            )
