#!/usr/bin/env python3
"""Pointer chases of tc-perf that the machine may be too small for, and servers that are programs of their own.

    check_chase.py many TC_PERF SERVERS         so many servers, any of which a chase begins at; or why not
    check_chase.py refuses TC_PERF              what cannot be begun is refused before it begins
    check_chase.py program TC_PERF PROGRAM SERVERS CLIENT_ARCH SERVER_ARCH [tc-perf options]
    check_chase.py dies TC_PERF PROGRAM         a server program that is killed ends the run
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 280
NOTICED_S = 20  # below the 30 s after which a silent process is given up
FEW = ["dapc", "--depth", "16", "-n", "2", "--rounds", "1"]
MODES = ["get", "am", "bitcode", "image"]
# Each server is connected to each other. With 64 servers, a mode of functions leaves up to 12,000 of the machine's 28,000 ports
# in TIME_WAIT for a minute, and then no test can listen.
MANY = {32: ["get", "am", "bitcode"], 64: ["bitcode"]}


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=DEADLINE_S, **more)


def expect(condition, text, found):
    if not condition:
        sys.exit(f"expected {text}, found {found}")


def chase(tc_perf, servers, *options):
    modes = MANY.get(servers, MODES)
    done = run([tc_perf, *FEW, "--servers", str(servers), "--modes", ",".join(modes), "--json", "-", *options])
    if done.returncode != 0 and "servers need up to" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    expect(done.returncode == 0, "exit status 0", (done.returncode, done.stderr))
    rows = json.loads(done.stdout)["rows"]
    expect([(row["mode"], row["servers"]) for row in rows] == [(mode, servers) for mode in modes], "every mode", rows)
    expect(all(row["chases_per_s"] > 0 for row in rows), "chases, whose results tc-perf has checked", rows)
    return rows


def many(tc_perf, servers):
    rows = chase(tc_perf, int(servers), "--start", "any")
    expect(all(row["start"] == "any" and not row["emulated"] for row in rows), "the options", rows)


def limit_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))


def refuses(tc_perf):
    def refused(status, texts, *options, **more):
        done = run([tc_perf, *FEW, *options], **more)
        expect(done.returncode == status, f"exit status {status}", (options, done.returncode, done.stderr))
        for text in texts:
            expect(text in done.stderr, text, done.stderr)

    refused(2, ["--servers '65'", "at most 64"], "--servers", "65")
    refused(2, ["--start 'here'", "owner"], "--start", "here")
    refused(1, ["64 servers need up to", "descriptors in a process, the limit is 200"], "--servers", "1,64",
            preexec_fn=limit_descriptors)
    with tempfile.TemporaryDirectory() as folder:
        program = ["--servers", "2", "--server-program"]
        refused(1, [folder, "expected a tc-perf"], *program, folder)
        refused(1, [folder + "/none", "No such file"], *program, folder + "/none")
        other = os.path.join(folder, "other")
        with open(other, "wb") as file:
            file.write(b"\x7fnothing that a kernel starts")
        os.chmod(other, 0o700)
        refused(1, [other, "by an emulator"], *program, other)
    refused(1, ["/bin/false", "did not begin"], *program, "/bin/false")
    refused(1, ["/bin/cat", "did not begin"], *program, "/bin/cat")


def program(tc_perf, path, servers, client_arch, server_arch, *options):
    rows = chase(tc_perf, int(servers), "--server-program", path, *options)
    for row in rows:
        found = (row["client_arch"], row["server_arch"], row["emulated"])
        expect(found == (client_arch, server_arch, client_arch != server_arch), "both architectures", found)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def dies(tc_perf, path):
    command = [tc_perf, "dapc", "--servers", "3", "-n", "100000", "--modes", "image", "--rounds", "50", "--server-program", path]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while len(workers := children_of(process.pid)) < 4:
            time.sleep(0.01)
        time.sleep(2)
        os.kill(workers[1], signal.SIGKILL)
        _, err = process.communicate(timeout=NOTICED_S)
        expect(process.returncode == 1 and err, "exit status 1 and a text", (process.returncode, err))
        left = [pid for pid in workers if os.path.exists(f"/proc/{pid}")]
        expect(not left, "no process left", left)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    {"many": many, "refuses": refuses, "program": program, "dies": dies}[sys.argv[1]](*sys.argv[2:])
