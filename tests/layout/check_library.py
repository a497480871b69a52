#!/usr/bin/env python3
"""The library's costs for a program that links it: the libraries that it needs, and its size in memory. And calls that it
may not make: getenv, as a program with more rights than its user must not follow that user's environment (secure_getenv).

    check_library.py READELF libtchains.so [--unoptimised | --assertions]

A build without optimisation is not for linking: its size is printed and has no bound. One with assertions has a bound of its own.
"""
import re
import subprocess
import sys

ALLOWED = r"(libuc[mpst]|libzstd|libsodium|libc|libm|libgcc_s|libpthread|libdl|ld-linux-[\w-]+)\.so\.\d+"
# With libraries that travel, packages, read-only payloads and a context that serves itself, 40 KB more than release 0.1.0. API
# 0.2, with 0.1's functions beside it, took 3 KB more, tc_send_start 2.5, and the tables by which the modules attach 5: relocations,
# unwinding. The module windows took 15, and tasks 13; locks of functions that wait 4, mapped windows and waits in flushes and
# barriers 6. Calls in a short form, connections by `auto` and images as the compiler's output took 6.
# Statistics, draining and functions with holes took 31: 12 of code for statistics, 5 for holes, 2 for draining, and the hooks of
# all three.
SIZE_MAX = 644_000
PACKED_MAX = 628_000  # with packed relocations, which the linkers of some architectures cannot make
ASSERTIONS_MAX = 60_000  # of checks of invariants, and of their texts


def main():
    readelf, library, *kind = sys.argv[1:]
    dynamic = subprocess.run([readelf, "-dW", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    if not needed:
        sys.exit(f"{library}: readelf names no libraries")
    strange = [name for name in needed if not re.fullmatch(ALLOWED, name)]
    if strange:
        sys.exit(f"{library} needs {', '.join(strange)}; it may need UCX, zstd and libsodium")
    symbols = subprocess.run([readelf, "-W", "--dyn-syms", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    if re.search(r"UND getenv(@|$)", symbols, re.M):
        sys.exit(f"{library} calls getenv, expected secure_getenv")
    headers = subprocess.run([readelf, "-lW", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    sizes = re.findall(r"^\s+LOAD\s+(?:0x[0-9a-f]+\s+){4}(0x[0-9a-f]+)", headers, re.M)
    size = sum(int(text, 16) for text in sizes)
    most = (PACKED_MAX if "(RELR)" in dynamic else SIZE_MAX) + (ASSERTIONS_MAX if "--assertions" in kind else 0)
    if size == 0 or (size >= most and "--unoptimised" not in kind):
        sys.exit(f"{library} takes {size} bytes of memory, expected less than {most}")
    print(f"{library}: {size} bytes, needs {', '.join(needed)}")


if __name__ == "__main__":
    main()
