#!/usr/bin/env python3
"""Makes the one-file library, tchains.c and tchains.h: sources and targets of native images without LLVM, UCX and other
libraries, for `cc -std=c11 tchains.c app.c -lpthread`.

    scripts/amalgamate.py [--out FOLDER]

The sources are those of the build's own lists, so a new file comes along by itself. Each is as it is in the tree, but for names:
those that two files define for themselves get the file's name in front, and macros of a file end with it. The same tree always
gives the same bytes.
"""
import argparse
import os
import re
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from amalgamation.names import Names  # noqa: E402
from amalgamation.source_lists import LEFT_OUT, STAND_INS, modules_line, sources  # noqa: E402

SEARCHED = ("runtime", "bitcode-archive", "include", STAND_INS)
# Public headers that are no part of it: on other libraries, or for programs that have these.
NOT_PUBLIC = {"am.h", "am_entry.h", "am_op.h", "mpi.h", "mpi_continue.h", "mpix_am.h", "object.h", "object_entry.h", "sim.h",
              "ucx.h"}
OLD_NAMES = "include/tc/before_0_2.h"
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>|(\w+))')
CONDITION = re.compile(r"[ \t]*#[ \t]*(if|endif)")
GUARD = re.compile(r"^#ifndef (\w+_H)\n#define \1$", re.MULTILINE)

HEADER_HEAD = """\
/* Three-Chains {version}: the public headers in one. Made by scripts/amalgamate.py.
 *
{licence}
 */
#ifndef TCHAINS_ONE_FILE_H
#define TCHAINS_ONE_FILE_H

"""
SOURCE_HEAD = """\
/* Three-Chains {version}: the library in one file. Made by scripts/amalgamate.py.
 *
 *     cc -std=c11 tchains.c app.c -o app -lpthread -ldl
 *
 * Optimised, it needs -fno-strict-aliasing, too. It lacks the modules {left_out}.
 *
{licence}
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define TC_WITHOUT_0_1
#include "tchains.h"

"""
SETTINGS = """
/* Where modules of an installation are looked for last: TLS, PMIx, the compiler of bitcode. */
#ifndef TC_MODULE_DIR
#define TC_MODULE_DIR "/usr/local/lib/tchains-{soversion}"
#endif
#define TC_MODULE_BELOW "/tchains-{soversion}"
{modules}

/* packaging/onefile/sodium.h under libsodium's names. */
#define crypto_generichash tci_sodium_hash
#define crypto_generichash_final tci_sodium_hash_final
#define crypto_generichash_init tci_sodium_hash_init
#define crypto_generichash_state tci_sodium_hash_state
#define crypto_generichash_update tci_sodium_hash_update
#define randombytes_buf tci_sodium_random
#define randombytes_buf_deterministic tci_sodium_random_seeded
#define sodium_bin2hex tci_sodium_hex
#define sodium_init tci_sodium_start
#define sodium_memzero tci_sodium_zero

/* Headers have functions that no file of this library calls. */
#pragma GCC diagnostic ignored "-Wunused-function"
/* Texts for people are cut to their buffers on purpose; outputs are written on TC_OK alone, which the
 * optimiser does not follow through so many functions. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#pragma GCC diagnostic ignored "-Wformat-truncation"
#endif
"""


def read(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as file:
        return file.read()


def resolve(name, quoted, folder):
    """Returns the path in the tree of an included file; an empty one for a header of the system."""
    for base in ((folder,) if quoted else ()) + SEARCHED:
        path = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(TREE, path)):
            return path
    return ""


class Text:
    """Files one after the other, each header before the first that includes it."""

    def __init__(self, given):
        self.given = set(given)
        self.system = set()
        self.parts = []

    def take_header(self, path):
        if path in self.given:
            return
        self.given.add(path)
        if not GUARD.search(read(path)):
            sys.exit(f"amalgamate: {path} has no include guard")
        body = self.take_includes(path)
        self.parts.append(f"\n/* -- {path} -- */\n{body.strip()}\n")

    def take_includes(self, path):
        """Takes the headers that a file includes, and returns the rest of it. The system's headers go to the front, unless they
        stand under a condition."""
        rest, depth = [], -1 if path.endswith(".h") else 0  # a header's guard is a condition
        for line in read(path).splitlines(keepends=True):
            condition, include = CONDITION.match(line), INCLUDE.match(line)
            if condition:
                depth += 1 if condition[1] == "if" else -1
            if include is None or include[3]:
                rest.append(line if include is None else "")
                continue
            found = resolve(include[1] or include[2], include[1] is not None, os.path.dirname(path))
            if found:
                self.take_header(found)
            elif include[1]:
                sys.exit(f"amalgamate: {path} includes {include[1]}, which is not there")
            elif depth > 0:
                rest.append(line)
            else:
                self.system.add(include[2])
        return "".join(rest)

    def system_lines(self):
        """The kernel's headers last: they take definitions of the C library into account."""
        names = sorted(self.system, key=lambda name: (name.startswith("linux/"), name))
        return "".join(f"#include <{name}>\n" for name in names)


def public_headers():
    names = sorted(os.listdir(os.path.join(TREE, "include/tc")))
    return [f"include/tc/{name}" for name in names if name.endswith(".h") and name not in NOT_PUBLIC]


def one_header(facts):
    text = Text({OLD_NAMES})
    for path in public_headers():
        text.take_header(path)
    text.given.discard(OLD_NAMES)
    text.parts.append("\n#ifndef TC_WITHOUT_0_1")
    text.take_header(OLD_NAMES)
    text.parts.append("#endif\n\n#endif\n")
    return HEADER_HEAD.format(**facts) + text.system_lines() + "".join(text.parts)


def one_source(facts):
    text = Text(public_headers())
    paths, modules = sources(TREE)
    bodies = []
    for path in paths:
        body = text.take_includes(path)
        bodies.append((path, Names(body)))
    counts = Counter(name for _, names in bodies for name in names.own)
    shared = {name for name, count in counts.items() if count > 1}
    for path, names in bodies:
        prefix = os.path.basename(path)[:-2] + "_"
        text.parts.append(f"\n/* == {path} == */\n{names.renamed(prefix, shared).strip()}\n")
        text.parts += [f"#undef {name}\n" for name in sorted(names.macros)]
    settings = SETTINGS.format(modules=modules_line(modules), **facts)
    head = SOURCE_HEAD.format(left_out=", ".join(LEFT_OUT), **facts)
    return head + text.system_lines() + settings + "".join(text.parts)


def facts_of_tree():
    version = re.search(r'TC_VERSION_STRING "(.*)"', read("include/tc/version.h"))[1]
    soversion = re.search(r"set\(TC_SOVERSION (\d+)\)", read("CMakeLists.txt"))[1]
    licence = "\n".join(f" * {line}".rstrip() for line in read("LICENSE").strip().splitlines())
    return {"version": version, "soversion": soversion, "licence": licence}


def main():
    parser = argparse.ArgumentParser(prog="amalgamate.py", description="Makes tchains.c and tchains.h, the library in one file.")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where to write them (default: the current folder)")
    out = parser.parse_args().out
    facts = facts_of_tree()
    os.makedirs(out, exist_ok=True)
    for name, text in (("tchains.h", one_header(facts)), ("tchains.c", one_source(facts))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
