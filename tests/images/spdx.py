"""What the SPDX 2.3 specification asks of a document in JSON, as far as ours use it; written from the specification."""

import re
from typing import Any

DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"}
PACKAGE = {"SPDXID", "name", "downloadLocation"}
PACKAGE_OPTIONAL = {
    "versionInfo",
    "supplier",
    "filesAnalyzed",
    "checksums",
    "sourceInfo",
    "licenseConcluded",
    "licenseDeclared",
    "copyrightText",
    "externalRefs",
    "primaryPackagePurpose",
}
ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
ACTOR = re.compile(r"(Person|Organization): .+|NOASSERTION")
CREATOR = re.compile(r"(Person|Organization|Tool): .+")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
URI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s#]+")
PURL = re.compile(r"pkg:[a-z]+/[^\s@]+@[^\s@?]+(\?\S+)?")
PURPOSES = {"APPLICATION", "FRAMEWORK", "LIBRARY", "CONTAINER", "OPERATING-SYSTEM", "FILE", "OTHER"}


def mistakes(document: dict[str, Any]) -> list[str]:
    """What is wrong with a document; each as a sentence."""
    found = [f"the document lacks {key}" for key in sorted(DOCUMENT - document.keys())]
    if found:
        return found
    if document["spdxVersion"] != "SPDX-2.3" or document["dataLicense"] != "CC0-1.0":
        found.append("version or licence of the document are others")
    if document["SPDXID"] != "SPDXRef-DOCUMENT" or not URI.fullmatch(document["documentNamespace"]):
        found.append("the document's own name is not as it must be")
    creation = document["creationInfo"]
    if not TIME.fullmatch(creation["created"]) or not creation["creators"]:
        found.append(f"created {creation['created']} by {creation['creators']}")
    found += [f"creator {one}" for one in creation["creators"] if not CREATOR.fullmatch(one)]
    ids = [package["SPDXID"] for package in document["packages"]]
    found += [f"{one} is there twice" for one in ids if ids.count(one) > 1]
    for package in document["packages"]:
        found += [f"{package['SPDXID']}: {wrong}" for wrong in _of_package(package)]
    described = 0
    for relation in document["relationships"]:
        ends = relation["spdxElementId"], relation["relatedSpdxElement"]
        found += [
            f"relation with {end}, which is not there"
            for end in ends
            if end not in {*ids, "SPDXRef-DOCUMENT"}
        ]
        described += relation["relationshipType"] == "DESCRIBES"
        if relation["relationshipType"] not in ("DESCRIBES", "CONTAINS"):
            found.append(f"relation {relation['relationshipType']}")
    return found + ([] if described == 1 else [f"{described} packages are described"])


def _of_package(package: dict[str, Any]) -> list[str]:
    found = [f"lacks {key}" for key in sorted(PACKAGE - package.keys())]
    found += [f"has an unknown {key}" for key in sorted(package.keys() - PACKAGE - PACKAGE_OPTIONAL)]
    if not ID.fullmatch(package["SPDXID"]):
        found.append("is no identifier")
    if package.get("filesAnalyzed", True):
        found.append("claims analysed files, and lists none")
    if not ACTOR.fullmatch(package.get("supplier", "NOASSERTION")):
        found.append(f"has supplier {package['supplier']}")
    for checksum in package.get("checksums", []):
        if checksum["algorithm"] != "SHA256" or not re.fullmatch(r"[0-9a-f]{64}", checksum["checksumValue"]):
            found.append(f"has checksum {checksum}")
    for reference in package.get("externalRefs", []):
        if reference["referenceCategory"] != "PACKAGE-MANAGER" or not PURL.fullmatch(
            reference["referenceLocator"]
        ):
            found.append(f"has reference {reference}")
    if package.get("primaryPackagePurpose", "OTHER") not in PURPOSES:
        found.append(f"has purpose {package['primaryPackagePurpose']}")
    return found
