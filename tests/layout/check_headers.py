#!/usr/bin/env python3
"""Every public header compiles alone and in any order, as strict C11 and as C++17.

    check_headers.py INCLUDE_FOLDER C_COMPILER CXX_COMPILER [HEADER=FOLDER:FOLDER...]...

Those that include another library's headers are compiled when they are named with the folders that have these.
"""
import os
import subprocess
import sys

FOREIGN = {"mpi.h", "mpi_continue.h", "mpix_am.h"}
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


def orders(headers):
    """Each header alone; then all of them, each one first once, forwards and backwards. Those of FOREIGN take long: all together twice."""
    for header in headers:
        yield [header]
    own = [header for header in headers if header not in FOREIGN]
    for turn in range(len(own)):
        rotated = own[turn:] + own[:turn]
        yield rotated
        yield rotated[::-1]
    if own != headers:
        yield headers
        yield headers[::-1]


def compiles(command, include_folder, headers, foreign):
    text = "".join(f"#include <tc/{header}>\n" for header in headers)
    # One declaration of our own: a file without any is not strict C.
    text += "extern int tc_header_check;\n"
    folders = [part for header in headers for folder in foreign.get(header, ()) for part in ("-isystem", folder)]
    done = subprocess.run(command + WARNINGS + ["-I", include_folder, *folders, "-"], input=text, text=True,
                          capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}: {', '.join(headers)}\n{done.stderr}")
    return done.returncode == 0


EDITIONS = {None: True, "2021": True, "2022": True, "2020": False}


def original_api_compiles(language, include_folder):
    """The original's API, beside the system's UCX, in each edition that there is; included twice."""
    failures = 0
    for edition, is_there in EDITIONS.items():
        define = [] if edition is None else [f"-DTC_COMPAT_UCX_IFUNC={edition}"]
        text = "#include <ucp/api/ucp.h>\n" * 2 + "void *tc_header_check(void);\n"
        done = subprocess.run(language + WARNINGS + define + ["-I", os.path.join(include_folder, "tc", "compat"), "-"], input=text, text=True,
                              capture_output=True, timeout=60, check=False)
        said = "expected 2021 or 2022" in done.stderr
        if (done.returncode == 0) != is_there or said == is_there:
            print(f"{' '.join(language)}: edition {edition}\n{done.stderr}")
            failures += 1
    return failures


def main():
    include_folder, cc, cxx = sys.argv[1:4]
    foreign = {name: folders.split(":") for name, _, folders in (word.partition("=") for word in sys.argv[4:])}
    headers = sorted(f for f in os.listdir(os.path.join(include_folder, "tc"))
                     if f.endswith(".h") and (f not in FOREIGN or f in foreign))
    languages = [[cc, "-std=c11", "-x", "c"], [cxx, "-std=c++17", "-x", "c++"]]
    failures = sum(not compiles(language, include_folder, order, foreign)
                   for language in languages for order in orders(headers))
    failures += sum(original_api_compiles(language, include_folder) for language in languages)
    print(f"{len(headers)} headers, {failures} failures")
    return 1 if failures or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
