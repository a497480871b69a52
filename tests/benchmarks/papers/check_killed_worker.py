#!/usr/bin/env python3
"""tc-perf dapc notices that one of its processes died, whatever the others wait for.

    check_killed_worker.py TC_PERF
"""
import os
import signal
import subprocess
import sys
import time

DELAYS_S = (0.3, 0.8, 1.3, 1.8, 2.3, 2.8)
NOTICED_S = 20  # below the 30 s after which a silent process is given up; an idle machine takes one


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def kill_one(tc_perf, delay_s, which):
    command = [tc_perf, "dapc", "--servers", "3", "--depth", "4096", "-n", "100000", "--modes", "image", "--rounds", "50"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while len(workers := children_of(process.pid)) < 4:
            time.sleep(0.01)
        time.sleep(delay_s)
        os.kill(workers[which], signal.SIGKILL)
        start_s = time.monotonic()
        _, err = process.communicate(timeout=NOTICED_S)
        print(f"{delay_s} s: worker {which}, {time.monotonic() - start_s:.2f} s until the end: {err.splitlines()[-1]}")
        assert process.returncode == 1, process.returncode
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def main():
    for number, delay_s in enumerate(DELAYS_S):
        kill_one(sys.argv[1], delay_s, number % 3)


if __name__ == "__main__":
    main()
