"""Describes a Hadoop as `scripts/build_hadoop.py` leaves it: jars behind two class path jars, a JDK, an archive."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from pydantic import ValidationError

from harness.core.errors import KvasirError
from harness.core.models import Strict
from harness.hadoop.plugins import BUILT, jar_in

FACTS = "hadoop.json"
NO_FLAGS_BEFORE = 9
"""Java 8 knows neither modules nor archives of application classes."""


class Java(Strict):
    """The Java that runs Hadoop."""

    home: Path
    version: str
    """As `java -version` says it."""
    major: int


class Facts(Strict):
    """Content of hadoop.json, which says what is in the folder."""

    version: str
    """Hadoop's version."""
    java: Java
    jars: dict[str, str]
    """SHA-256 of every jar by file name."""
    class_path: list[str]
    """Jars, relative to the folder: Hadoop (a jar that only names the others), then our jobs."""
    test_path: list[str]
    """Jars that come last: Hadoop's own test programs, whose settings must not win over the cluster's."""
    archive: str | None
    """Class archive of `class_path`, relative to the folder; None where Java 8 runs Hadoop."""
    sources: str
    """SHA-256 over the sources of our jobs."""
    built: dict[str, str]
    """SHA-256 of what was built here, by file name."""
    tools: dict[str, str]
    """Versions of the programs that built it."""


def major_of(answer: str) -> tuple[str, int] | None:
    """Return version and major number from what `java -version` prints, None without; Java 8 calls itself 1.8."""
    found = re.search(r'version "(1\.)?(\d+)([^"]*)"', answer)
    return (f"{found[1] or ''}{found[2]}{found[3]}", int(found[2])) if found else None


def plain_flags(compiler: str) -> list[str]:
    """Return options of every virtual machine; a small heap needs no parallel garbage collector."""
    options = ["-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true", "-XX:-UsePerfData"]
    return [*options, "-XX:TieredStopAtLevel=1"] if compiler == "c1" else options


class Distribution:
    """Composes command lines for a Hadoop that can be started."""

    def __init__(self, root: Path, plugins: Path | None = None) -> None:
        """Read what is in the folder `root`; raises KvasirError when there is no complete Hadoop.

        `plugins` has a folder for each plug-in that was built for it; by default that of its name in BUILT.
        """
        self.root = root.resolve()
        self.plugins = (plugins or BUILT / root.name).resolve()
        facts = self.root / FACTS
        try:
            self.facts = Facts.model_validate_json(facts.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise KvasirError(f"{facts}: there is no Hadoop here yet: run scripts/build_hadoop.py") from None
        except (OSError, ValidationError) as error:
            raise KvasirError(f"{facts}: cannot be used, run scripts/build_hadoop.py: {error}") from None
        if not self.java.is_file():
            raise KvasirError(
                f"{self.java}: Hadoop {self.facts.version} was set up for this Java, which has gone: "
                "run scripts/build_hadoop.py"
            )

    @property
    def version(self) -> str:
        """Hadoop's version."""
        return self.facts.version

    @property
    def java(self) -> Path:
        """The program java."""
        return self.facts.java.home / "bin" / "java"

    def plugin_jar(self, name: str) -> Path:
        """Return the jar of a plug-in that was built for it. Raises KvasirError when there is none."""
        jar = jar_in(self.plugins / name)
        if not jar.is_file():
            raise KvasirError(f"{jar}: there is no such plug-in yet: run scripts/build_plugin.py {name}")
        return jar

    def class_path(self, conf: Path | None = None, plugins: tuple[Path, ...] = ()) -> str:
        """Return the class path: what the archive was made of first, then plug-ins, configuration and tests."""
        parts = [self.root / jar for jar in self.facts.class_path]
        parts += plugins
        parts += [conf] if conf else []
        parts += [self.root / jar for jar in self.facts.test_path]
        return ":".join(map(str, parts))

    def flags(self, heap_mb: int, compiler: str = "c1") -> list[str]:
        """Return options of the virtual machine, for the class path that the archive was made of."""
        options = [f"-Xmx{heap_mb}m", *plain_flags(compiler)]
        if self.facts.java.major >= NO_FLAGS_BEFORE:
            # The dependency injection of YARN's web pages defines classes in Java's own package.
            options.append("--add-opens=java.base/java.lang=ALL-UNNAMED")
            if self.facts.archive:
                options += ["-Xshare:auto", f"-XX:SharedArchiveFile={self.root / self.facts.archive}"]
        return options

    def command(
        self,
        main_class: str,
        conf: Path,
        heap_mb: int,
        compiler: str = "c1",
        plugins: tuple[Path, ...] = (),
        temporary: Path | None = None,
    ) -> list[str]:
        """Return the command that runs a class of Hadoop or of ours, without its arguments.

        What the class unpacks goes to the folder `temporary`, by default to Java's own, which is /tmp.
        """
        options = self.flags(heap_mb, compiler)
        if temporary:
            options.append(f"-Djava.io.tmpdir={temporary}")
        return [str(self.java), *options, "-cp", self.class_path(conf, plugins), main_class]

    def task_options(self, heap_mb: int, compiler: str, plugins: tuple[Path, ...] = ()) -> str:
        """Return options for containers, quoted twice: their script has the whole command in double quotes.

        Their own class path begins with a folder, which the archive cannot bear.
        """
        words = shlex.join([*self.flags(heap_mb, compiler), "-cp", self.class_path(None, plugins)])
        return re.sub(r'(["$`\\])', r"\\\1", words)
