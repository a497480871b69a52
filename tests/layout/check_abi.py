#!/usr/bin/env python3
"""Programs that were linked with the released library run with this one: symbols and types are compared by libabigail.

    check_abi.py BUILD_LIB_FOLDER SOURCE_FOLDER             compares what was built with tests/layout/abi/*.abi
    check_abi.py BUILD_LIB_FOLDER SOURCE_FOLDER --update    writes those files anew: at a release, or when a change is meant

Needs debug information, and abidiff and abidw (package abigail-tools): ends with status 77 without. Functions and statuses may
be added. Structs may grow at their end: functions that fill or read one of the program's get its size.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

LIBRARIES = {"tchains": "include/tc", "tchains-compat": "include/tc/compat"}
# The types of public headers alone, with no trace of the machine or the lines of a file.
WRITE = ["--exported-interfaces-only", "--drop-private-types", "--no-architecture", "--no-corpus-path", "--no-comp-dir-path",
         "--no-show-locs", "--no-elf-needed", "--no-parameter-names", "--type-id-style", "hash"]
BYTES_MAX = 400 * 1024
# Programs have these in their own memory, and no call gets the size.
FIXED = {"tc_error", "tc_call_ticket", "tc_embedded"}
CHANGED, INCOMPATIBLE = 4, 8  # bits of abidiff's status; 1 and 2 are its own troubles


def write(library, headers, out):
    subprocess.run(["abidw", *WRITE, "--headers-dir", headers, "--out-file", out, library], stdin=subprocess.DEVNULL, check=True,
                   timeout=120)
    with open(out, encoding="utf-8") as file:
        if "<function-decl" not in file.read():
            sys.exit(f"{library}: no debug information")


def structs(tree):
    return {node.get("name"): node for node in tree.iter("class-decl") if node.find("data-member") is not None}


def members(struct):
    return [member.find("var-decl").get("name") for member in struct.findall("data-member")]


def cut_growth(stored, built):
    """Removes the additions since `stored` from `built`. libabigail's own suppressions of that hide more than that."""
    old = xml.etree.ElementTree.parse(stored)
    new = xml.etree.ElementTree.parse(built)
    before = structs(old)
    for name, struct in structs(new).items():
        known = members(before[name]) if name in before else members(struct)
        if name in FIXED or not name.startswith("tc_") or members(struct)[:len(known)] != known:
            continue
        for member in struct.findall("data-member")[len(known):]:
            struct.remove(member)
            struct.set("size-in-bits", before[name].get("size-in-bits"))
    last = {node.get("name"): node.get("value") for node in old.iter("enumerator")}
    for node in new.iter("enumerator"):
        if node.get("name") == "TC_STATUS_LAST":
            node.set("value", last.get("TC_STATUS_LAST", node.get("value")))
    new.write(built)


def compare(stored, built):
    """The differences, or nothing. Both are files of abidw: of a library abidiff 2.2 sees more than it was asked for."""
    cut_growth(stored, built)
    done = subprocess.run(["abidiff", "--no-added-syms", "--no-show-locs", stored, built], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    if done.returncode & ~(CHANGED | INCOMPATIBLE):
        sys.exit(f"abidiff: status {done.returncode}\n{done.stdout}")
    return done.stdout if done.returncode else ""


def update(library, headers, stored):
    write(library, headers, stored)
    size = os.path.getsize(stored)
    if size > BYTES_MAX:
        sys.exit(f"{stored}: {size} bytes, more than {BYTES_MAX}")
    print(f"{stored}: {size} bytes")


def main():
    built, root, *option = sys.argv[1:]
    if not shutil.which("abidiff") or not shutil.which("abidw"):
        print("no abidiff or abidw: package abigail-tools")
        sys.exit(77)
    folder = os.path.join(root, "tests", "layout", "abi")
    libraries = {name: os.path.realpath(os.path.join(built, f"lib{name}.so")) for name in LIBRARIES}
    if missing := [path for path in libraries.values() if not os.path.exists(path)]:
        print(f"not built: {', '.join(missing)}")
        sys.exit(77)
    differences = ""
    for name, headers in LIBRARIES.items():
        library = libraries[name]
        stored, headers = os.path.join(folder, f"{name}.abi"), os.path.join(root, headers)
        if option == ["--update"]:
            update(library, headers, stored)
            continue
        with tempfile.NamedTemporaryFile(suffix=".abi") as now:
            write(library, headers, now.name)
            differences += compare(stored, now.name)
    if differences:
        sys.exit(f"{differences}\nPrograms that were built with the released headers may not run with this library. If that is meant "
                 f"(before 1.0, or with a new soname), say so in CHANGELOG.md and run\n    tests/layout/check_abi.py {built} {root} "
                 "--update")
    if not option:
        print("as released, or grown as it may")


if __name__ == "__main__":
    main()
