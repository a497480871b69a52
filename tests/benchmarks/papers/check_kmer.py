#!/usr/bin/env python3
"""k-mers counted in a distributed table: every version has the counts of one process, and these are those of a program in Python.

    check_kmer.py generated STARTER KMER_RUN RANKS   reads of a genome; a starter is tc-run or mpirun
    check_kmer.py files STARTER KMER_RUN RANKS       a text, and reads that were written as FASTA
    check_kmer.py refuses STARTER KMER_RUN           wrong arguments

Behaviour alone: no time is compared with another.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

DEADLINE_S = 120
VERSIONS = {"serial", "mpi-probe", "mpi-posted", "function", "am", "am-concurrent"}
SMALL = ["--rounds", "1", "--batches", "1,7,600", "--unpinned"]
COMPLEMENTS = str.maketrans("ACGT", "TGCA")


def is_mpirun(starter):
    return os.path.basename(starter) != "tc-run"


def run(starter, program, ranks, options):
    environment = dict(os.environ, TC_IFUNC_PATH=os.path.dirname(program), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    own = ["--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if is_mpirun(starter) else ["-n", str(ranks), "--timeout", str(DEADLINE_S)]
    return subprocess.run([starter, *own, program, *options], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=2 * DEADLINE_S, check=False)


def report_of(starter, program, ranks, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kmer.json")
        done = run(starter, program, ranks, [*SMALL, *options, "--json", path])
        assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    versions = {row["version"] for row in report["rows"]}
    missing = set(report["skipped"])
    assert versions | missing == VERSIONS and not versions & missing, (versions, missing)
    assert missing == (set() if is_mpirun(starter) else {"mpi-probe", "mpi-posted"}), missing
    for row in report["rows"]:
        assert row["verified"] is True and row["kmer_ns_median"] >= row["kmer_ns"] > 0, row
        assert row["version"] in done.stdout, (row, done.stdout)
    batches = {row["batch"] for row in report["rows"] if row["version"] == "am"}
    assert batches == {1, 7, 600}, batches
    return report["env"]["options"]


def counts_of(sequences, length):
    """How many k-mers there are, how many different ones, and how many with each count."""
    counts = collections.Counter()
    for sequence in sequences:
        for at in range(len(sequence) - length + 1):
            kmer = sequence[at:at + length]
            counts[min(kmer, kmer.translate(COMPLEMENTS)[::-1])] += 1
    histogram = collections.Counter(f"{count}" if count < 63 else "63.." for count in counts.values())
    return {"kmers": sum(counts.values()), "distinct": len(counts), "histogram": dict(histogram)}


def assert_counts(options, sequences, length):
    expected = counts_of(sequences, length)
    found = {name: options[name] for name in expected}
    assert found == expected, (found, expected)


def check_generated(starter, program, ranks):
    options = report_of(starter, program, ranks, ["--genome", "5000", "--passes", "3"])
    assert options["ranks"] == ranks and options["kmers"] == 3 * (5000 - 20), options
    assert all(int(count) % 3 == 0 for count in options["histogram"]), options


def check_files(starter, program, ranks):
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text")
        fasta = os.path.join(folder, "reads.fa")
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "README.md"), encoding="utf-8") as file:
            letters = file.read()
        with open(text, "w", encoding="utf-8") as file:
            file.write(letters)
        bases = "".join("ACGT"[ord(letter) & 3] for letter in letters.lower() if "a" <= letter <= "z")
        assert_counts(report_of(starter, program, ranks, ["--text", text, "--length", "7", "--write", fasta]), [bases], 7)
        assert_counts(report_of(starter, program, ranks, ["--fasta", fasta, "--length", "31"]), [bases], 31)

        report_of(starter, program, ranks, ["--genome", "2000", "--passes", "2", "--versions", ",".join(sorted(VERSIONS)), "--write", fasta])
        with open(fasta, encoding="utf-8") as file:
            reads = [line.strip() for line in file if not line.startswith(">")]
        with open(fasta, "w", encoding="utf-8") as file:  # lines that are broken, a letter that is no base, another end of lines
            for number, read in enumerate(reads):
                file.write(f">{number} ACGT\r\n" + "\r\n".join(read[at:at + 60] for at in range(0, len(read), 60)) + "\nNNN\n")
        assert_counts(report_of(starter, program, ranks, ["--fasta", fasta]), reads, 21)


def check_refuses(starter, program):
    for options, text in ((["--length", "32"], "length"), (["--versions", "am-fast"], "expected some of")):
        done = run(starter, program, 2, options)
        assert done.returncode == 2 and text in done.stderr, (options, done.returncode, done.stderr)
    for options, text in ((["--batches", "0"], "expected up to"), (["--fasta", "/nonexistent"], "/nonexistent"),
                          (["--genome", "100", "--batches", "8,,8"], "expected up to")):
        done = run(starter, program, 2, [*options, "--genome", "1000"] if "--genome" not in options else options)
        assert done.returncode != 0 and text in done.stderr, (options, done.returncode, done.stderr)


def main():
    what, starter, program = sys.argv[1:4]
    checks = {"generated": check_generated, "files": check_files, "refuses": check_refuses}
    checks[what](starter, program, *map(int, sys.argv[4:]))


main()
