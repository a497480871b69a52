#!/usr/bin/env python3
"""A program with an event loop of its own sleeps while nothing comes, and a signal ends it.

    check_event_loop.py EVENT_LOOP TC_SEND NOTE_TCA
"""
import re
import resource
import signal
import subprocess
import sys
import time

IDLE_S = 3
TURNS_MAX = 200  # of some ten; a loop that polls makes millions
CPU_S_MAX = IDLE_S / 2
DEADLINE_S = 60


def main():
    event_loop, tc_send, note = sys.argv[1:4]
    process = subprocess.Popen([event_loop, "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        port = re.fullmatch(r"event_loop: listening at port (\d+)\n", process.stdout.readline())[1]
        subprocess.run([tc_send, f"127.0.0.1:{port}", note, "--text", "first", "--quiet"], timeout=DEADLINE_S, check=True)
        time.sleep(IDLE_S)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=DEADLINE_S)[0]
    finally:
        process.kill()
        process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{rest}{cpu:.2f} s of processor time")
    said = re.search(r"^event_loop: signal 15 after 1 notes, (\d+) turns$", rest, re.MULTILINE)
    return 0 if process.returncode == 0 and said and int(said[1]) < TURNS_MAX and cpu < CPU_S_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
