"""Builds plug-ins, each in a folder of its own: its jar, and what is known of it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from harness.core.environment import first_line
from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing
from harness.core.models import Strict
from harness.hadoop.assembly import jars, maven
from harness.hadoop.plugins import JOBS, LOCK, OURS, Plugin, jar_in, load_plugins, module_sources, released_in

FACTS = "plugin.json"
LOCKED = "jars"
"""Folder of a module's build where its pom.xml copies the jars that jars.lock names."""


class PluginFacts(Strict):
    """Content of plugin.json, which says what a plug-in was built from."""

    hadoop: str
    """Version of Hadoop that it was compiled against."""
    sources: str
    """SHA-256 over what decides on its jar."""
    jar: str
    """SHA-256 of its jar."""
    released: str = ""
    """SHA-256 of the lock of jars that stay apart from it."""
    tools: dict[str, str]
    """Versions of the programs that built it; none for a jar that was there."""


def provide_plugin(
    source: Path, version: str, folder: Path, plugin: Plugin, taken: Path | None = None
) -> PluginFacts:
    """Put the jar of a plug-in into `folder`, with its facts, and return them. What is up to date stays.

    `source` is the folder src/hadoop, `version` the Hadoop that it is compiled against, `taken` a folder with the jars
    of our plug-ins that an image held. Raises KvasirError when Maven cannot build it.
    """
    folder = folder.resolve()
    needed = list(load_plugins(plugin.needs).values())
    held = taken / f"{plugin.name}.jar" if taken and _is_ours(source, plugin) else None
    if held and not held.is_file():
        held = None  # it needs jars of others, which images do not have
    ready = held or (Path(plugin.folder) / plugin.jar if plugin.jar else None)
    sources = _digest(source, plugin, needed, version, held)
    jar, known = jar_in(folder), _known(folder / FACTS)
    as_before = known and jar.is_file() and (known.sources, known.jar) == (sources, jars.digest(jar))
    if known and as_before and not (plugin.apart and _differ(plugin, folder / LOCKED)):
        return known
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FACTS).unlink(missing_ok=True)
    if plugin.download and not ready:
        print(plugin.download, flush=True)
    made = ready or _made(source, plugin, needed, version, folder / "modules")
    if plugin.apart:
        _put_apart(plugin, made.parent / LOCKED, folder)
    with replacing(jar) as scratch:
        shutil.copyfile(made, scratch)
    tools = {} if ready else {"mvn": first_line("mvn", "--version")}
    released = jars.digest(Path(plugin.folder) / LOCK) if plugin.apart else ""
    facts = PluginFacts(hadoop=version, sources=sources, jar=jars.digest(jar), released=released, tools=tools)
    dump_json(facts.model_dump(), folder / FACTS)
    return facts


def provide_plugins(source: Path, version: str, root: Path, plugins: Iterable[Plugin]) -> dict[str, str]:
    """Provide each plug-in in a folder of its name below `root`; return SHA-256 of each jar by name.

    Raises KvasirError when Maven cannot build one.
    """
    return {
        plugin.name: provide_plugin(source, version, root / plugin.name, plugin).jar for plugin in plugins
    }


def _known(file: Path) -> PluginFacts | None:
    try:
        return PluginFacts.model_validate_json(file.read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None


def _digest(source: Path, plugin: Plugin, needed: Iterable[Plugin], version: str, held: Path | None) -> str:
    """Return SHA-256 over what decides on a plug-in's jar: the one in an image, or sources and Hadoop's version.

    The sources are its own and those of the plug-ins that it is compiled with.
    """
    total = hashlib.sha256(version.encode())
    parent = [] if plugin.jar else [source / "pom.xml"]
    others = [path for other in needed for path in other.sources()]
    if plugin.uses_jobs:
        others += module_sources(source / JOBS.name)
    for path in [held] if held else [*parent, *plugin.sources(), *others]:
        total.update(f" {path.name} {jars.digest(path)}".encode())
    return total.hexdigest()


def _is_ours(source: Path, plugin: Plugin) -> bool:
    return Path(plugin.folder).resolve() == (source / OURS.name / plugin.name).resolve()


def _staged(source: Path, plugin: Plugin, folder: Path) -> Path:
    """Copy a module from elsewhere to a folder where it finds the parent pom as ours do; return where it is."""
    target, came_from = folder / OURS.name / plugin.name, Path(plugin.folder)
    shutil.rmtree(target, ignore_errors=True)
    # One that is made of others' jars alone has no sources.
    if (came_from / "src" / "main").is_dir():
        shutil.copytree(came_from / "src" / "main", target / "src" / "main")
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(came_from / "pom.xml", target / "pom.xml")
    shutil.copyfile(source / "pom.xml", folder / "pom.xml")
    return target


def _made(source: Path, plugin: Plugin, needed: Iterable[Plugin], version: str, tree: Path) -> Path:
    """Build a plug-in in the folder `tree`, together with those that it needs; return where its jar lies."""
    # What an earlier build left must not get into the jar.
    shutil.rmtree(tree, ignore_errors=True)
    modules = [
        Path(built.folder) if _is_ours(source, built) else _staged(source, built, tree / "elsewhere")
        for built in (plugin, *(other for other in needed if not other.jar))
    ]
    if any(built.uses_jobs for built in (plugin, *needed)):
        modules.append(source / JOBS.name)
    goals = [f"-Dhadoop.version={version}", "-DskipTests", "package"]
    made = maven.build([module.resolve() for module in modules], tree, goals, f"build plug-in {plugin.name}")
    if not made[plugin.name].is_file():
        raise KvasirError(
            f"{plugin.folder}/pom.xml: Maven left no {made[plugin.name]}: expected the parent that src/hadoop/pom.xml "
            f"shows, and the folder's name as artifactId, {plugin.name}"
        )
    _require_locked(plugin, made[plugin.name].parent / LOCKED)
    return made[plugin.name]


def _put_apart(plugin: Plugin, found: Path, folder: Path) -> None:
    """Put the jars of others beside the plug-in's, and a jar that names them, in the order of their names."""
    shutil.rmtree(folder / LOCKED, ignore_errors=True)
    found.rename(folder / LOCKED)
    lock = jars.read_lock(Path(plugin.folder) / LOCK)
    jars.write_class_path(released_in(folder), [f"{LOCKED}/{name}" for name in sorted(lock)])


def _differ(plugin: Plugin, folder: Path) -> list[str]:
    """Return what differs between a folder and the jars of others that a plug-in's lock names."""
    return jars.differences(folder, jars.read_lock(Path(plugin.folder) / LOCK))


def _require_locked(plugin: Plugin, folder: Path) -> None:
    """Raise KvasirError when the jars of others that went into a plug-in's are not those of its lock, if it has one."""
    lock = Path(plugin.folder) / LOCK
    if lock.is_file() and (wrong := _differ(plugin, folder)):
        raise KvasirError(
            f"the jars that Maven provides for plug-in {plugin.name} are not those of {lock}: {'; '.join(wrong[:3])}. "
            "Remove them from Maven's local repository and see where its settings.xml takes them from"
        )
