#!/usr/bin/env python3
"""The size of the library of the preset `bare`: its file without symbols, as it lies on a small target.

    check_small_library.py READELF STRIP libtchains.so
"""
import os
import re
import subprocess
import sys
import tempfile

SIZE_MAX = 200_000
UNPACKED = 16_000  # where the loader reads no packed relocations: cmake/TcSmall.cmake


def main():
    readelf, strip, library = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "library")
        subprocess.run([strip, "-o", stripped, library], check=True, timeout=60)
        size = os.path.getsize(stripped)
        sections = subprocess.run([readelf, "-SW", stripped], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    parts = re.findall(r"^\s*\[ *\d+\] (\.\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", sections, re.M)
    if not parts:
        sys.exit(f"{library}: readelf names no sections")
    most = SIZE_MAX + (0 if ".relr.dyn" in dict(parts) else UNPACKED)
    text = ", ".join(f"{name} {int(found, 16)}" for name, found in parts)
    print(f"{library}: {size} bytes without symbols: {text}")
    if size >= most:
        sys.exit(f"{library} takes {size} bytes, expected less than {most}")


if __name__ == "__main__":
    main()
