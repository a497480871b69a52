#!/usr/bin/env python3
"""The same seeds give the same worlds on two architectures.

    check_hash.py LACKING SIM_EXPLORE EMULATOR... SIM_EXPLORE

LACKING: kinds that the second program was built without, or none.
"""
import re
import subprocess
import sys

WORLDS = ("--seed", "1", "--worlds", "40")
WITHOUT_UCX = "a build without UCX"


def run(command, *more):
    """Returns the hash, and whether UCX is drawn."""
    done = subprocess.run([*command, *WORLDS, *more], capture_output=True, text=True, timeout=600, check=False)
    found = re.search(r"hash ([0-9a-f]{16})", done.stdout)
    if not found:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return found.group(1), WITHOUT_UCX not in done.stdout


lacking = sys.argv[1]
(ours, own_ucx), (guests, guest_ucx) = (run(command, "--without", lacking) for command in (sys.argv[2:3], sys.argv[3:]))
if own_ucx != guest_ucx:  # the worlds that both can have
    lacking = ",".join(([] if lacking == "none" else [lacking]) + ["ucx_am", "ucx_put"])
    (ours, _), (guests, _) = (run(command, "--without", lacking) for command in (sys.argv[2:3], sys.argv[3:]))
print(f"hash {ours} here, {guests} on the other architecture")
sys.exit(ours != guests)
