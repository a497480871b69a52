#!/usr/bin/env python3
"""Programs that were linked with the released library run with this one: symbols and types, as libabigail reads them.

    check_abi.py BUILD_LIB_FOLDER SOURCE_FOLDER             compares what was built with tests/layout/abi/*.abi
    check_abi.py BUILD_LIB_FOLDER SOURCE_FOLDER --update    writes those files anew: at a release, or when a change is meant

Needs debug information, and abidw (package abigail-tools): ends with status 77 without. Functions and enumerators may be added.
Structs may grow at their end: functions that fill or read one of the program's get its size. Additions have to be recorded, so that
a later change of them is found.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

LIBRARIES = {"tchains": "include/tc", "tchains-compat": "include/tc/compat", "tchains-objects": "include/tc", "tchains-am": "include/tc",
             "tchains-steady": "include/tc", "tchains-mpi-openmpi": "include/tc", "tchains-mpi-mpich": "include/tc"}
# Those that a build for an MPI has.
OPTIONAL = {"tchains-mpi-openmpi", "tchains-mpi-mpich"}
# Libraries on the public headers of the first one, whose types are recorded there alone.
BASE = "tchains"
ADDONS = set(LIBRARIES) - {BASE, "tchains-compat"}
# Structs that no function of a library takes, but functions that travel, and inline ones.
HEADER_STRUCTS = {"tchains": {"ifunc.h": ["tc_embedded"], "package.h": ["tc_package_entry", "tc_package_vector"],
                              "window_rows.h": ["tc_window_rows"]},
                  "tchains-objects": {"object_entry.h": ["tc_object_method", "tc_object_node", "tc_object_self"]},
                  "tchains-am": {"am_entry.h": ["tc_am_node", "tc_am_run_state"]}}
# The types of public headers alone, with no trace of the machine or the lines of a file.
READ = ["--exported-interfaces-only", "--drop-private-types", "--no-architecture", "--no-corpus-path", "--no-comp-dir-path",
        "--no-show-locs", "--no-elf-needed", "--no-parameter-names", "--type-id-style", "hash"]
# Programs have these in their own memory, and no call gets the size.
FIXED = {"struct tc_error", "struct tc_call_ticket", "struct tc_embedded"}
LAST = "TC_STATUS_LAST"  # moves when a status is added


class Types:
    """Types of a library, by the numbers that libabigail gives them, spelled as C does."""

    def __init__(self, tree):
        self.nodes = {node.get("id"): node for node in tree.iter() if node.get("id")}

    def spell(self, number):
        node = self.nodes[number]
        inner = node.get("type-id")
        if node.tag == "pointer-type-def":
            text = self.spell(inner)
            return text.replace(" (", " (*)(", 1) if self.nodes[inner].tag == "function-type" else f"{text} *".replace("* *", "**")
        if node.tag == "qualified-type-def":
            words = set()
            while node.tag == "qualified-type-def":  # one for each word, in an order of libabigail's own
                words.update(word for word in ("const", "volatile", "restrict") if node.get(word) == "yes")
                number = node.get("type-id")
                node = self.nodes[number]
            text, words = self.spell(number), " ".join(sorted(words))
            return f"{text} {words}" if text.endswith("*") else f"{words} {text}"
        if node.tag == "array-type-def":
            return self.spell(inner) + "".join(f"[{part.get('length')}]" for part in node.findall("subrange"))
        if node.tag == "function-type":
            return self.signature(node)
        return self.tag(node)

    def signature(self, node):
        parameters = [self.spell(part.get("type-id")) if part.get("type-id") else "..." for part in node.findall("parameter")]
        return f"{self.spell(node.find('return').get('type-id'))} ({', '.join(parameters) or 'void'})"

    @staticmethod
    def tag(node):
        word = {"class-decl": "struct ", "union-decl": "union ", "enum-decl": "enum "}.get(node.tag, "")
        return word + node.get("name")


def describe(tree):
    """Each thing that a program can depend on, and the lines about it."""
    types, found = Types(tree), {}
    for node in tree.iter():
        if node.tag == "elf-symbol":
            found.setdefault(f"{node.get('name')}@@{node.get('version')}", ["no header declares it"])
        elif node.tag == "function-decl":
            found[node.get("elf-symbol-id")] = [types.signature(node)]
        elif node.tag == "typedef-decl":
            found[f"typedef {node.get('name')}"] = [types.spell(node.get("type-id"))]
        elif node.tag == "type-decl" and node.get("size-in-bits"):
            found[f"type {node.get('name')}"] = [f"{node.get('size-in-bits')} bits"]
        elif node.tag == "enum-decl":
            found[types.tag(node)] = [f"{part.get('name')} = {part.get('value')}" for part in node.findall("enumerator")]
        elif node.tag in ("class-decl", "union-decl") and node.find("data-member") is not None:
            members = [(part.get("layout-offset-in-bits", "0"), part.find("var-decl")) for part in node.findall("data-member")]
            found[types.tag(node)] = [f"{at}: {types.spell(member.get('type-id'))} {member.get('name')}" for at, member in members]
            found[types.tag(node)].append(f"{node.get('size-in-bits')} bits")
    return found


def read_library(library, headers):
    with tempfile.NamedTemporaryFile(suffix=".xml") as out:
        subprocess.run(["abidw", *READ, "--headers-dir", headers, "--out-file", out.name, library], stdin=subprocess.DEVNULL,
                       check=True, timeout=120)
        found = describe(xml.etree.ElementTree.parse(out.name))
    if not any(name.startswith("type ") for name in found):
        sys.exit(f"{library}: no debug information")
    return found


def read_structs(structs, include):
    """The structs of headers, by their names, from a library that takes them all."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "structs.c"), os.path.join(folder, "libstructs.so")
        with open(source, "w", encoding="ascii") as out:
            for header, names in structs.items():
                out.write(f"#include <tc/{header}>\n")
                for name in names:
                    out.write(f"void take_{name}(struct {name} *);\nvoid take_{name}(struct {name} *it) {{ (void)it; }}\n")
        subprocess.run([os.environ.get("CC", "cc"), "-g", "-shared", "-fPIC", "-w", "-I", include, source, "-o", library],
                       check=True, timeout=60)
        found = read_library(library, os.path.join(include, "tc"))
    return {f"struct {name}": found[f"struct {name}"] for names in structs.values() for name in names}


def write(found, path):
    """A thing with one line about it is a line; one with more has them indented below."""
    with open(path, "w", encoding="utf-8") as out:
        for name in sorted(found):
            lines = found[name]
            out.write(f"{name}: {lines[0]}\n" if len(lines) == 1 else "\n    ".join([f"{name}:", *lines]) + "\n")


def read(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(" "):
                found[name].append(line.strip())
            else:
                name, _, rest = line.partition(":")
                found[name] = [rest.strip()] if rest else []
    return found


def differs(name, old, new):
    if name.startswith("enum "):
        return [line for line in old if line not in new and not line.startswith(LAST)]
    if name.startswith("struct tc_") and name not in FIXED:
        return [line for line, other in zip(old[:-1], new[:-1] + [""] * len(old)) if line != other]
    return [] if old == new else old


def compare(stored, built):
    """The differences, or nothing."""
    told = []
    for name, old in stored.items():
        if name not in built:
            told.append(f"{name}: gone")
        elif changed := differs(name, old, built[name]):
            told.append("\n    ".join([f"{name}: released with", *changed, "and is now", *built[name]]))
    return "\n".join(told)


def additions(stored, built):
    """Things, and lines of public types, that are not recorded yet."""
    told = []
    for name, lines in built.items():
        if name not in stored:
            told.append(f"{name}: added")
        elif name.startswith(("struct tc_", "enum ")) and (new := [line for line in lines if line not in stored[name]]):
            told.append("\n    ".join([f"{name}: added", *new]))
    return "\n".join(told)


def without(found, base):
    """The things of an addon that the base lacks."""
    return {name: lines for name, lines in found.items() if name not in base}


def read_libraries(built, root):
    """The things of each library that was built, by its name. Ends with status 77 when one is missing."""
    paths = {name: os.path.realpath(os.path.join(built, f"lib{name}.so")) for name in LIBRARIES}
    if missing := [path for name, path in paths.items() if not os.path.exists(path) and name not in OPTIONAL]:
        print(f"not built: {', '.join(missing)}")
        sys.exit(77)
    found = {name: read_library(path, os.path.join(root, LIBRARIES[name])) for name, path in paths.items() if os.path.exists(path)}
    for name, structs in HEADER_STRUCTS.items():
        found[name].update(read_structs(structs, os.path.join(root, "include")))
    return {name: without(things, found[BASE]) if name in ADDONS else things for name, things in found.items()}


def main():
    built, root, *option = sys.argv[1:]
    if not shutil.which("abidw"):
        print("no abidw: package abigail-tools")
        sys.exit(77)
    folder = os.path.join(root, "tests", "layout", "abi")
    differences, added = [], []
    for name, now in read_libraries(built, root).items():
        stored = os.path.join(folder, f"{name}.abi")
        if option == ["--update"]:
            write(now, stored)
            continue
        recorded = read(stored)
        differences.append(compare(recorded, now))
        added.append(additions(recorded, now))
    update = f"    tests/layout/check_abi.py {built} {root} --update"
    if lines := "\n".join(filter(None, differences)):
        sys.exit(f"{lines}\nPrograms that were built with the released headers may not run with this library. If that is meant "
                 f"(before 1.0, or with a new soname), say so in CHANGELOG.md and run\n{update}")
    if lines := "\n".join(filter(None, added)):
        sys.exit(f"{lines}\nPrograms run with it, and a later change of it would not be found. Record it:\n{update}")
    if not option:
        print("as released, or grown as it may")


if __name__ == "__main__":
    main()
