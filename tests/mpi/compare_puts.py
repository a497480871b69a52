#!/usr/bin/env python3
"""Runs put_latency with and without libtchains-mpi by turns and prints both medians and their ratios.

    compare_puts.py RUNS ROUNDS WITH WITHOUT LAUNCHER ...

LAUNCHER: the command in front of the program, such as mpirun -n 2.
"""
import statistics
import subprocess
import sys


def run(launcher, program, rounds):
    words = subprocess.run([*launcher, program, rounds], capture_output=True, text=True, timeout=300, check=True).stdout.split()
    return {words[i]: float(words[i + 1]) for i in range(0, len(words), 2)}


def main():
    runs, rounds, with_it, without = int(sys.argv[1]), *sys.argv[2:5]
    launcher = sys.argv[5:]
    pairs = []
    for turn in range(runs):
        first, second = (with_it, without) if turn % 2 == 0 else (without, with_it)
        results = {first: run(launcher, first, rounds)}
        results[second] = run(launcher, second, rounds)
        pairs.append((results[with_it], results[without]))
    for what in ("put", "fence"):
        linked = [pair[0][what] for pair in pairs]
        plain = [pair[1][what] for pair in pairs]
        ratios = sorted(a / b for a, b in zip(linked, plain))
        print(f"{what}: with {statistics.median(linked):.1f} ns, without {statistics.median(plain):.1f} ns, "
              f"ratio {statistics.median(ratios):.4f} ({ratios[len(ratios) // 4]:.4f} to {ratios[3 * len(ratios) // 4]:.4f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
