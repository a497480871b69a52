#!/usr/bin/env python3
"""Writes the bill of materials of a build, SPDX 2.3 in JSON: the installed files with their checksums, and the libraries that they
are linked with.

    scripts/sbom.py --build FOLDER [--root FOLDER] --out FILE.spdx.json

ROOT has an installation (of cmake --install, or an unpacked package); without it the build is installed for the moment. A
file itself names the libraries that it needs; their versions are those that CMake found. The time is SOURCE_DATE_EPOCH, or else
that of the newest file. The same files give the same bytes.
"""
import argparse
import contextlib
import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

import install_records

LICENCE = "BSD-3-Clause"
# Library: beginnings of its sonames, CMake's variable of its version (of LLVM: of its program), licence, supplier.
DEPENDENCIES = {
    "ucx": (("libucp.", "libuct.", "libucs.", "libucm."), "ucx_VERSION", "BSD-3-Clause", "UCF Consortium"),
    "zstd": (("libzstd.",), "zstd_VERSION", "BSD-3-Clause OR GPL-2.0-only", "Meta Platforms"),
    "libsodium": (("libsodium.",), "sodium_VERSION", "ISC", "Frank Denis"),
    "openssl": (("libssl.", "libcrypto."), "openssl_VERSION", "Apache-2.0", "OpenSSL Software Foundation"),
    "pmix": (("libpmix.",), "pmix_VERSION", "BSD-3-Clause-Open-MPI", "PMIx"),
    "llvm": (("libLLVM", "libclang", "libomp."), "TC_LLVM_CONFIG", "Apache-2.0 WITH LLVM-exception", "LLVM Project"),
    "elfutils": (("libelf.",), "elf_VERSION", "GPL-2.0-or-later OR LGPL-3.0-or-later", "elfutils"),
    "jansson": (("libjansson.",), "jansson_VERSION", "MIT", "Petri Lehtinen"),
    "openmpi": (("libmpi.", "libopen-pal.", "libopen-rte."), "tc_mpi_openmpi_VERSION", "BSD-3-Clause-Open-MPI", "Open MPI"),
    "mpich": (("libmpich.",), "tc_mpi_mpich_VERSION", "LicenseRef-MPICH", "Argonne National Laboratory"),
    "libtirpc": (("libtirpc.",), "tirpc_VERSION", "BSD-3-Clause", "Linux NFS"),
    "zeromq": (("libzmq.",), "zmq_VERSION", "LGPL-3.0-or-later", "ZeroMQ"),
    "sqlite": (("libsqlite3.",), "sqlite_VERSION", "blessing", "SQLite"),
    "gcc-runtime": (("libgcc_s.", "libstdc++.", "libgomp."), None, "GPL-3.0-or-later WITH GCC-exception-3.1", "GNU"),
    "glibc": (("libc.", "libm.", "libdl.", "libpthread.", "librt.", "ld-linux"), None, "LGPL-2.1-or-later", "GNU"),
}
OWN = re.compile(r"libtchains[\w-]*\.so")
OTHER_LICENCES = {"LicenseRef-MPICH": "The licence of MPICH, COPYRIGHT in its sources."}


def digest(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def files_below(root):
    """Regular files, not the links to them, in a stable order."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "DEBIAN")  # a package's own description
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def needed(path):
    """The sonames that an ELF file is linked with."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
    said = subprocess.run(["readelf", "-dW", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said)


def dependency_of(soname):
    for name, (beginnings, *_) in DEPENDENCIES.items():
        if soname.startswith(beginnings):
            return name
    return None if OWN.match(soname) else soname


def cached(build):
    """The variables of CMake's cache, of which pkg-config's versions are a part."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        return dict(re.findall(r"^([\w-]+):\w+=(.*)$", file.read(), re.MULTILINE))


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-{re.sub('[^A-Za-z0-9.-]', '-', name)}"


def version_of(name, found):
    """A library's version: as CMake found it; of the C library as it runs; of LLVM as its llvm-config has it."""
    if name == "glibc":
        return platform.libc_ver()[1]
    if name == "llvm" and found:
        return subprocess.run([found, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return found


def dependency_package(name, variables):
    _, variable, licence, supplier = DEPENDENCIES.get(name, ((), None, "NOASSERTION", None))
    version = version_of(name, variables.get(variable))
    package = {"SPDXID": spdx_id("Package", name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
               "supplier": f"Organization: {supplier}" if supplier else "NOASSERTION"}
    if version:
        package["versionInfo"] = version
    return package


def own_package(version, files):
    """The verification code is the SHA-1 of the files' SHA-1, sorted: SPDX 2.3, chapter 7.9."""
    sums = sorted(entry["checksums"][0]["checksumValue"] for entry in files)
    return {"SPDXID": spdx_id("Package", "three-chains"), "name": "three-chains", "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": True, "primaryPackagePurpose": "LIBRARY",
            "packageVerificationCode": {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()},
            "licenseConcluded": LICENCE, "licenseDeclared": LICENCE, "licenseInfoFromFiles": [LICENCE],
            "copyrightText": "Copyright (c) 2026, the Three-Chains authors", "supplier": "Organization: Three-Chains authors"}


def file_entry(path, root):
    name = os.path.relpath(path, root)
    return {"SPDXID": spdx_id("File", digest(path, "sha256")[:16] + "-" + name), "fileName": "./" + name,
            "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)} for kind in ("sha1", "sha256")],
            "licenseConcluded": LICENCE, "licenseInfoInFiles": [LICENCE], "copyrightText": "NOASSERTION"}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(build, root):
    variables = cached(build)
    version = variables["CMAKE_PROJECT_VERSION"]
    own = spdx_id("Package", "three-chains")
    files, relations, found, newest = [], [relation("SPDXRef-DOCUMENT", "DESCRIBES", own)], set(), 0
    for path in files_below(root):
        entry = file_entry(path, root)
        files.append(entry)
        newest = max(newest, int(os.stat(path).st_mtime))
        relations.append(relation(own, "CONTAINS", entry["SPDXID"]))
        links = {dependency_of(soname) for soname in needed(path)} - {None}
        relations += [relation(entry["SPDXID"], "DYNAMIC_LINK", spdx_id("Package", name)) for name in sorted(links)]
        found |= links
    if not files:
        sys.exit(f"sbom: {root} has no files")
    relations += [relation(own, "DEPENDS_ON", spdx_id("Package", name)) for name in sorted(found)]
    packages = [own_package(version, files)] + [dependency_package(name, variables) for name in sorted(found)]
    code = packages[0]["packageVerificationCode"]["packageVerificationCodeValue"]
    time = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", newest)), datetime.timezone.utc)
    made = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"three-chains-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/three-chains-{version}-{code}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Organization: Three-Chains authors", f"Tool: three-chains-sbom-{version}"]},
            "documentDescribes": [own], "packages": packages, "files": files, "relationships": relations}
    licences = {package["licenseDeclared"] for package in packages}
    others = sorted(licences & set(OTHER_LICENCES))
    if others:
        made["hasExtractedLicensingInfos"] = [{"licenseId": name, "extractedText": OTHER_LICENCES[name]} for name in others]
    return made


@contextlib.contextmanager
def installed(build):
    """The build, installed into a folder for the moment. Its records of the last installation stay as they are."""
    with tempfile.TemporaryDirectory() as root:
        with install_records.kept(build):
            subprocess.run(["cmake", "--install", build, "--prefix", root], stdout=subprocess.DEVNULL, check=True)
        yield root


def main():
    parser = argparse.ArgumentParser(prog="sbom.py", description="Writes the bill of materials of a build: SPDX 2.3, JSON.")
    parser.add_argument("--build", required=True, metavar="FOLDER", help="the build folder, with CMakeCache.txt")
    parser.add_argument("--root", metavar="FOLDER", help="where the files were installed (default: they are for the moment)")
    parser.add_argument("--out", required=True, metavar="FILE", help="the document to write")
    given = parser.parse_args()
    with contextlib.nullcontext(given.root) if given.root else installed(given.build) as root:
        made = document(given.build, root)
    with open(given.out, "w", encoding="utf-8") as file:
        json.dump(made, file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
