#!/usr/bin/env python3
"""Runs sim-scale (the arguments) on each pattern, and checks its figures: all nodes are connected, and all
survivors know of the death of a rack. The program itself fails where a phase does not end."""
import json
import subprocess
import sys

NODES, RACK = 200, 20
CROWD = 1000  # several times the queue of a listener


def run(command, pattern, nodes=NODES):
    options = ("--nodes", str(nodes), "--rack-hosts", str(RACK), "--pattern", pattern, "--degree", "4", "--hops", "100")
    done = subprocess.run([*command, *options, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def check(pattern, figures):
    connections = {"tree": 2 * (NODES - 1), "star": 2 * (NODES - 1), "near": 4 * NODES}.get(pattern)
    expected = {"nodes": NODES, "dead": RACK, "knows": NODES - RACK, "calls": figures["ends"]}
    if connections is not None:
        expected["connections"] = connections
    wrong = [f"{name} is {figures[name]}, expected {value}" for name, value in expected.items() if figures[name] != value]
    wrong += [f"the phase {name} took no time" for name, phase in figures["phases"].items() if phase["simulated_ns"] == 0]
    if pattern != "group" and figures["ends"] == 0:
        wrong.append("no endpoint ended")
    return [f"{pattern}: {text}" for text in wrong]


def check_crowd(figures):
    """All connect to one listener at once. Its kernel alone would let a queue of them in after 0.2, 0.6 and 1.4 s."""
    seconds = figures["phases"]["start"]["simulated_ns"] / 1e9
    return [f"star of {CROWD}: its start took {seconds:.1f} s, expected less than 0.8"] if seconds > 0.8 else []


def main():
    wrong = check_crowd(run(sys.argv[1:], "star", CROWD))
    for pattern in ("tree", "star", "near", "group"):
        wrong += check(pattern, run(sys.argv[1:], pattern))
    again = [run(sys.argv[1:], "tree")["hash"] for _ in range(2)]
    if again[0] != again[1]:
        wrong.append(f"two runs of one seed have the hashes {again}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
