"""Writes an image's bill of materials (SPDX 2.3): Debian and Spack packages, jars, our programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from harness.images import apptainer

DPKG = "${Package}\\t${Version}\\t${Architecture}\\t${source:Package}\\t${source:Version}\\t${db:Status-Status}\\n"
SUMS = ("/opt/kvasir/programs", "/opt/kvasir/lock")
"""Files of an image that hold SHA-256 sums: of our programs, and of jars."""
SPACK = "/opt/kvasir/spack"
"""The file of an image that lists its packages by Spack; see store.py."""
NOT_KNOWN = "NOASSERTION"


@dataclass(frozen=True)
class Package:
    """One part of an image."""

    name: str
    version: str = ""
    supplier: str = NOT_KNOWN
    sha256: str = ""
    purl: str = ""
    source: str = ""
    mark: str = ""
    """What tells it from another of its name and version: Spack's hash."""

    @property
    def id(self) -> str:
        """Return its name within the document; SPDX allows letters, digits, dots and hyphens."""
        words = "-".join(word for word in (self.name, self.version, self.mark) if word)
        return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", words)

    @property
    def element(self) -> dict[str, Any]:
        """Format it for SPDX."""
        found: dict[str, Any] = {
            "SPDXID": self.id,
            "name": self.name,
            "downloadLocation": NOT_KNOWN,
            "filesAnalyzed": False,
            "licenseConcluded": NOT_KNOWN,
            "licenseDeclared": "Apache-2.0" if self.supplier == OURS else NOT_KNOWN,
            "copyrightText": NOT_KNOWN,
            "supplier": self.supplier,
        }
        if self.version:
            found["versionInfo"] = self.version
        if self.sha256:
            found["checksums"] = [{"algorithm": "SHA256", "checksumValue": self.sha256}]
        if self.source:
            found["sourceInfo"] = self.source
        if self.purl:
            reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl"}
            found["externalRefs"] = [{**reference, "referenceLocator": self.purl}]
        return found


DEBIAN = "Organization: Debian"
OURS = "Organization: Kvasir"


def debian(text: str) -> list[Package]:
    """Parse Debian packages from dpkg-query's lines."""
    found = []
    for line in text.splitlines():
        name, version, architecture, source, source_version, status = line.split("\t")
        if status == "installed":
            purl = f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}&distro=debian-12"
            came = f"built from Debian's source package {source} {source_version}"
            found.append(Package(name, version, DEBIAN, purl=purl, source=came))
    return found


def spack(text: str) -> list[Package]:
    """Parse Spack packages from an image's file SPACK."""
    found = []
    for line in text.splitlines():
        name, version, mark, namespace = line.split("\t")
        supplier = OURS if namespace == "kvasir" else NOT_KNOWN
        came = f"built by Spack, recipe {namespace}.{name}, hash {mark}"
        purl = f"pkg:generic/{quote(name)}@{quote(version)}?spack_hash={mark}"
        found.append(Package(name, version, supplier, purl=purl, source=came, mark=mark))
    return found


def hashed(text: str) -> list[Package]:
    """Parse jars and programs of ours from sha256sum's lines."""
    found = []
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        jar = re.fullmatch(r"(.+?)-(\d[^/]*)\.jar", name)
        if jar:
            found.append(Package(jar[1], jar[2], sha256=digest, source=f"Maven, file {name}"))
        elif name:
            found.append(Package(name, supplier=OURS, sha256=digest))
    return found


def document(title: str, digest: str, created: str, packages: Iterable[Package]) -> dict[str, Any]:
    """Build the SPDX document of image `title` (name and identity) with content digest `digest`."""
    image = Package(title, supplier=OURS, sha256=digest)
    parts = sorted({package.id: package for package in packages}.values(), key=lambda package: package.id)
    relations: list[Mapping[str, str]] = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", image.id)]
    relations += [_relation(image.id, "CONTAINS", package.id) for package in parts]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": title,
        # Has to be a URI of nothing else; nothing lies there.
        "documentNamespace": f"urn:kvasir:image:{title}:{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: kvasir", OURS]},
        "packages": [{**image.element, "primaryPackagePurpose": "CONTAINER"}, *(p.element for p in parts)],
        "relationships": relations,
    }


def _relation(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _read(image: Path, *files: str) -> str:
    """Read those of some files of an image that exist."""
    command = "for file in " + " ".join(files) + '; do [ ! -f "$file" ] || cat "$file"; done'
    return apptainer.inside(image, "sh", "-c", command)


def sbom(image: Path, title: str, digest: str, created: str) -> dict[str, Any]:
    """Build an image's document by querying it. Raises KvasirError when it cannot be started."""
    packages = debian(apptainer.inside(image, "dpkg-query", "-W", "-f", DPKG))
    packages += spack(_read(image, SPACK)) + hashed(_read(image, *SUMS))
    return document(title, digest, created or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), packages)
