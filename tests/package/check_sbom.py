#!/usr/bin/env python3
"""The bill of materials: an installation's, validated against the rules of SPDX 2.3 and against the files themselves. Where
python3-spdx-tools is installed, its validator reads it, too.

    check_sbom.py SOURCE_FOLDER BUILD_FOLDER CMAKE
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import install_records  # noqa: E402

DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "files", "relationships"}
PACKAGE = {"SPDXID", "name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"}
FILE = {"SPDXID", "fileName", "checksums", "licenseConcluded", "copyrightText"}
RELATIONS = {"DESCRIBES", "CONTAINS", "DEPENDS_ON", "DYNAMIC_LINK"}
ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+\Z")
LICENCE = re.compile(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*\Z")


def must(condition, text):
    if not condition:
        sys.exit(text)


def check_head(made):
    must(DOCUMENT <= set(made), f"the document has no {sorted(DOCUMENT - set(made))}")
    must(made["spdxVersion"] == "SPDX-2.3" and made["dataLicense"] == "CC0-1.0", "another version, or licence of the data")
    must(made["SPDXID"] == "SPDXRef-DOCUMENT" and "#" not in made["documentNamespace"], "the document's own names")
    must(made["documentNamespace"].startswith("https://"), "the namespace is no URI")
    must(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z", made["creationInfo"]["created"]), "the time is not UTC of ISO 8601")
    must(all(re.match(r"(Tool|Person|Organization): \S", creator) for creator in made["creationInfo"]["creators"]), "the creators")


def check_elements(made):
    ids = ["SPDXRef-DOCUMENT"] + [element["SPDXID"] for element in made["packages"] + made["files"]]
    must(len(set(ids)) == len(ids), "two elements have the same identifier")
    for element in made["packages"] + made["files"]:
        must(ID.match(element["SPDXID"]), f"{element['SPDXID']} is no identifier")
        for key in ("licenseConcluded", "licenseDeclared"):
            must(key not in element or LICENCE.match(element[key]), f"{element['SPDXID']}: {key} is {element.get(key)}")
    extracted = {entry["licenseId"] for entry in made.get("hasExtractedLicensingInfos", [])}
    referred = set(re.findall(r"LicenseRef-[\w.-]+", json.dumps(made["packages"])))
    must(extracted == referred, f"licences {sorted(referred)} are referred to, the text is there of {sorted(extracted)}")
    for package in made["packages"]:
        must(PACKAGE <= set(package), f"{package['name']} has no {sorted(PACKAGE - set(package))}")
        must(package.get("filesAnalyzed", True) == ("packageVerificationCode" in package), f"{package['name']}: its files")
    for entry in made["relationships"]:
        must(entry["relationshipType"] in RELATIONS, f"a relationship {entry['relationshipType']}")
        must({entry["spdxElementId"], entry["relatedSpdxElement"]} <= set(ids), f"{entry} relates to no element")


def check_files(made, root):
    """Every installed file with its sums, and the code that covers them all."""
    found = {os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names
             if not os.path.islink(os.path.join(folder, name))}
    must({entry["fileName"] for entry in made["files"]} == {"./" + name for name in found}, "other files than were installed")
    sums = []
    for entry in made["files"]:
        must(FILE <= set(entry), f"{entry['fileName']} has no {sorted(FILE - set(entry))}")
        with open(os.path.join(root, entry["fileName"]), "rb") as file:
            content = file.read()
        stated = {checksum["algorithm"]: checksum["checksumValue"] for checksum in entry["checksums"]}
        must(stated == {kind: hashlib.new(kind.lower(), content).hexdigest() for kind in ("SHA1", "SHA256")},
             f"{entry['fileName']}: its checksums")
        sums.append(stated["SHA1"])
    own = made["packages"][0]
    code = hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()
    must(own["packageVerificationCode"]["packageVerificationCodeValue"] == code, "the verification code")


def check_facts(made, build, version):
    """The library's dependencies are those that it is linked with, of the versions that CMake found."""
    packages = {package["name"]: package for package in made["packages"]}
    must(packages["three-chains"]["versionInfo"] == version, f"version {packages['three-chains']['versionInfo']}")
    unknown = sorted(name for name, package in packages.items() if package["licenseDeclared"] == "NOASSERTION")
    without = sorted(name for name, package in packages.items() if not package.get("versionInfo") and name != "gcc-runtime")
    must(not without, f"no versions of {without}")
    must(not unknown, f"scripts/sbom.py does not know {unknown}, with which something is linked")
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        variables = dict(re.findall(r"^(\w+)_VERSION:INTERNAL=(.+)$", file.read(), re.MULTILINE))
    for name, variable in (("ucx", "ucx"), ("zstd", "zstd"), ("libsodium", "sodium")):
        must(packages[name].get("versionInfo") == variables[variable], f"{name}: {packages[name].get('versionInfo')}")
    library, = [entry["SPDXID"] for entry in made["files"] if re.search(r"/libtchains\.so\.[\d.]+$", entry["fileName"])]
    linked = {entry["relatedSpdxElement"][len("SPDXRef-Package-"):] for entry in made["relationships"]
              if entry["spdxElementId"] == library and entry["relationshipType"] == "DYNAMIC_LINK"}
    must({"ucx", "zstd", "libsodium", "glibc"} <= linked, f"libtchains is linked with {sorted(linked)}")
    return sorted(packages)


def check_by_tools(path):
    try:
        from spdx_tools.spdx.parser.parse_anything import parse_file  # pylint: disable=import-outside-toplevel
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document as validate  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("not read by spdx-tools, which are not here (python3-spdx-tools of Debian 13)")
        return
    problems = validate(parse_file(path))
    must(not problems, "\n".join(problem.validation_message for problem in problems))


def main():
    source, build, cmake = sys.argv[1:4]
    with open(os.path.join(source, "include/tc/version.h"), encoding="utf-8") as file:
        version = re.search(r'TC_VERSION_STRING "(.*)"', file.read())[1]
    with tempfile.TemporaryDirectory() as folder, install_records.kept(build):
        root, out = os.path.join(folder, "root"), os.path.join(folder, "three-chains.spdx.json")
        with open(os.path.join(folder, "installed.log"), "w", encoding="utf-8") as log:
            subprocess.run([cmake, "--install", build, "--prefix", root], stdout=log, check=True)
        command = [sys.executable, "-B", os.path.join(source, "scripts/sbom.py"), "--build", build, "--root", root, "--out", out]
        texts = []
        for _ in range(2):
            subprocess.run(command, check=True)
            with open(out, encoding="utf-8") as file:
                texts.append(file.read())
        must(texts[0] == texts[1], "two runs give other bytes")
        made = json.loads(texts[0])
        check_head(made)
        check_elements(made)
        check_files(made, root)
        names = check_facts(made, build, version)
        check_by_tools(out)
        print(f"{len(made['files'])} files, packages: {', '.join(names)}")


if __name__ == "__main__":
    main()
