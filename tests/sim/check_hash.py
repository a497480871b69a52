#!/usr/bin/env python3
"""The same seeds give the same worlds on two architectures.

    check_hash.py SIM_EXPLORE EMULATOR... SIM_EXPLORE
"""
import re
import subprocess
import sys

WORLDS = ("--seed", "1", "--worlds", "40")


def hash_of(command):
    done = subprocess.run([*command, *WORLDS], capture_output=True, text=True, timeout=600, check=False)
    found = re.search(r"hash ([0-9a-f]{16})", done.stdout)
    if not found:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return found.group(1)


ours, guests = hash_of(sys.argv[1:2]), hash_of(sys.argv[2:])
print(f"hash {ours} here, {guests} on the other architecture")
sys.exit(ours != guests)
