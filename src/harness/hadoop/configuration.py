"""Renders Hadoop's configuration files from parameters and layout, and parses them."""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

import jinja2

from harness.config.hadoop import SITE_FILES, Parameters
from harness.core.errors import KvasirError
from harness.hadoop.distribution import Distribution
from harness.hadoop.layout import PORTS, Layout, Node
from harness.hadoop.plugins import STOCK_SERVICE, Plugin, contribution

MEMORY = "{memory}"
"""In a value of a framework's or plug-in's `site`: the host's folder in tmpfs."""
_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=lambda name: name is not None and not name.startswith("log4j"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def render(
    layout: Layout,
    node: Node,
    parameters: Parameters,
    hadoop: Distribution,
    plugins: tuple[Plugin, ...] = (),
) -> dict[str, str]:
    """Return the configuration files of one host, by name. Raises KvasirError when plug-ins conflict."""
    jars = tuple(hadoop.plugin_jar(plugin.name) for plugin in plugins)
    added = contribution(plugins)
    compiler = parameters.task_compiler
    names = {
        "p": parameters,
        "master": layout.master,
        "workers": layout.workers,
        "node": {
            "name": node.name,
            "scratch": str(node.scratch),
            "temporary": str(node.temporary),
            "port": node.port,
            "at": node.at,
        },
        "replication": min(parameters.replication, len(layout.workers)),
        "class_path": hadoop.class_path(None, jars).replace(":", ","),
        "map_options": hadoop.task_options(parameters.heap_mb, compiler, jars),
        "reduce_options": hadoop.task_options(parameters.heap_mb, compiler, jars),
        "am_options": hadoop.task_options(parameters.am_heap_mb, "c1", jars),
        "services": {STOCK_SERVICE: "org.apache.hadoop.mapred.ShuffleHandler", **added.aux_services},
        "environment": list(added.environment),
    }
    files: dict[str, str] = {
        name: _templates.get_template(f"{name}.j2").render(
            **names,
            more={
                key: value.replace(MEMORY, str(node.memory))
                for key, value in {**added.site.get(name, {}), **parameters.extra.get(name, {})}.items()
            },
        )
        for name in SITE_FILES
    }
    files["log4j.properties"] = _templates.get_template("log4j.properties.j2").render()
    return files


def parse(text: str) -> dict[str, str]:
    """Return names and values of a configuration file; of several with one name the last wins, as in Hadoop.

    Raises KvasirError when the text is no configuration file.
    """
    try:
        root = ElementTree.fromstring(text.lstrip())
    except ElementTree.ParseError as error:
        raise KvasirError(f"no Hadoop configuration: {error}") from None
    if root.tag != "configuration":
        raise KvasirError(f"no Hadoop configuration: its root is <{root.tag}>")
    found = {}
    for entry in root:
        name, value = entry.findtext("name"), entry.findtext("value")
        if entry.tag != "property" or name is None or value is None:
            raise KvasirError(f"no Hadoop configuration: <{entry.tag}> without name and value")
        found[name.strip()] = value.strip()
    return found


def with_properties(text: str, properties: Mapping[str, str]) -> str:
    """Return a configuration file with further properties, which win. Raises KvasirError when it is none."""
    merged = {**parse(text), **properties}
    root = ElementTree.Element("configuration")
    for name, value in merged.items():
        entry = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(entry, "name").text = name
        ElementTree.SubElement(entry, "value").text = value
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def without_places(text: str, layout: Layout, node: Node) -> str:
    """Return a configuration file of one host with the roles of addresses, ports and folders in their place."""
    for other in layout.nodes:
        for role in PORTS:
            text = re.sub(rf"(?<!\d){other.port(role)}(?!\d)", f"<{role}>", text)
    for folder, role in ((node.scratch, "scratch"), (node.memory, "memory"), (node.conf, "conf")):
        text = text.replace(str(folder), f"<{role}>")
    for other in layout.nodes:
        text = re.sub(rf"(?<![\w.-]){re.escape(other.name)}(?![\w-])", f"<node{other.index}>", text)
    return text


def fingerprint(
    layout: Layout, parameters: Parameters, hadoop: Distribution, plugins: tuple[Plugin, ...] = ()
) -> int:
    """Return a number of 48 bits that depends on all files in the hosts' folders but for addresses, ports, folders.

    What plug-ins add to them does not count either: it is what the frameworks of a cell differ by.
    """
    digest = hashlib.sha256()
    for node in layout.nodes:
        written, plain = (render(layout, node, parameters, hadoop, some) for some in (plugins, ()))
        for name in SITE_FILES:
            text = (node.conf / name).read_text(encoding="utf-8")
            # Only a file that is as it was written has a known part of the plug-ins.
            digest.update(
                without_places(plain[name] if text == written[name] else text, layout, node).encode()
            )
    return int(digest.hexdigest()[:12], 16)


def write(files: dict[str, str], folder: Path) -> None:
    """Write configuration files into a folder; raise KvasirError when that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise KvasirError(f"{folder}: configuration cannot be written: {error.strerror}") from None
