#!/usr/bin/env python3
"""The models of docs/memory-model.md: each holds as it is, and breaks without any one of its orderings.

    check_models.py SPIN C_COMPILER ring|put|doorbell|staging|pending|window|am_credit

Every search is exhaustive. A model that cannot fail shows nothing, so each mutation is one that must; and one that never
gets to some of its statements shows little, so an unreached one fails too.
"""
import os
import re
import subprocess
import sys
import tempfile

HOLDS, BREAKS = "holds", "breaks"

# -DTSO: x86_64 as it is. There the hardware itself keeps the order that a mutation removes from the compiler's
# output.
CASES = {
    "ring": [
        ("ring.pml", "", HOLDS),
        ("ring.pml", "NO_SIGNAL_RELEASE", BREAKS),
        ("ring.pml", "NO_SIGNAL_ACQUIRE", BREAKS),
        ("ring.pml", "NO_CREDIT_RELEASE", BREAKS),
        ("ring.pml", "NO_CREDIT_ACQUIRE", BREAKS),
        ("ring.pml", "NO_CREDIT", BREAKS),
        ("ring.pml", "NO_KEY", BREAKS),
        ("ring.pml", "TSO", HOLDS),
        ("ring.pml", "TSO NO_SIGNAL_RELEASE", HOLDS),
        ("ring.pml", "TSO NO_CREDIT_RELEASE", HOLDS),
        ("ring.pml", "TSO NO_KEY", BREAKS),
    ],
    "put": [
        ("ring.pml", "PUT MESSAGES=5", HOLDS),
        ("ring.pml", "PUT NO_PUT_FENCE", BREAKS),
    ],
    "doorbell": [
        ("doorbell.pml", "", HOLDS),
        ("doorbell.pml", "NO_BARRIER", BREAKS),
        ("doorbell.pml", "NO_LOOK", BREAKS),
        ("doorbell.pml", "NO_COUNT", BREAKS),
        ("doorbell.pml", "NO_COMPILER_FENCE", BREAKS),
        ("doorbell.pml", "NO_POSITION_ORDER FRAMES=1", HOLDS),
        ("doorbell.pml", "TSO CREDITS=1", HOLDS),
        ("doorbell.pml", "TSO NO_BARRIER", BREAKS),
    ],
    "staging": [
        ("staging.pml", "", HOLDS),
        ("staging.pml", "NO_SIGNAL_RELEASE", BREAKS),
        ("staging.pml", "NO_SIGNAL_ACQUIRE", BREAKS),
        ("staging.pml", "NO_CREDIT_RELEASE", BREAKS),
        ("staging.pml", "NO_CREDIT_ACQUIRE", BREAKS),
        ("staging.pml", "NO_WINDOW", BREAKS),
        ("staging.pml", "TSO", HOLDS),
        ("staging.pml", "TSO NO_STREAM_FENCE", BREAKS),
    ],
    "pending": [
        ("pending.pml", "", HOLDS),
        ("pending.pml", "CLEAR_LATE", BREAKS),
        ("pending.pml", "CAUSE_FIRST", BREAKS),
        ("pending.pml", "NO_READD", BREAKS),
        ("pending.pml", "NO_AT_ONCE", BREAKS),
        ("pending.pml", "NOTIFY_FIRST", BREAKS),
    ],
    "am_credit": [
        ("am_credit.pml", "", HOLDS),
        ("am_credit.pml", "RING=3", HOLDS),
        ("am_credit.pml", "QUEUE=1", HOLDS),
        ("am_credit.pml", "LARGE_CREDIT", BREAKS),
        ("am_credit.pml", "RING=3 LARGE_CREDIT", BREAKS),
        ("am_credit.pml", "NO_QUEUE", BREAKS),
    ],
    "window": [
        ("window.pml", "PUBLISH", HOLDS),
        ("window.pml", "PUBLISH WITHOUT=FLAG_RELEASE", BREAKS),
        ("window.pml", "PUBLISH WITHOUT=FLAG_ACQUIRE", BREAKS),
        ("window.pml", "PUBLISH WITHOUT=TAKEN_RELEASE", BREAKS),
        ("window.pml", "PUBLISH WITHOUT=TAKEN_ACQUIRE", BREAKS),
        ("window.pml", "PUBLISH TSO", HOLDS),
        ("window.pml", "PUBLISH TSO WITHOUT=FLAG_RELEASE", HOLDS),
        ("window.pml", "PUBLISH TSO WITHOUT=TAKEN_RELEASE", HOLDS),
        ("window.pml", "LOCK", HOLDS),
        ("window.pml", "LOCK WITHOUT=USER_ACQUIRE", BREAKS),
        ("window.pml", "LOCK WITHOUT=OWNER_ACQUIRE", BREAKS),
        ("window.pml", "LOCK WITHOUT=SWAP_RELEASE", BREAKS),
        ("window.pml", "LOCK WITHOUT=USER_RELEASE", BREAKS),
        ("window.pml", "LOCK WITHOUT=OWNER_RELEASE", BREAKS),
        ("window.pml", "LOCK TSO", HOLDS),
        ("window.pml", "LOCK TSO WITHOUT=USER_RELEASE", HOLDS),
        ("window.pml", "LOCK TSO WITHOUT=OWNER_RELEASE", HOLDS),
        ("window.pml", "NEWS", HOLDS),
        ("window.pml", "NEWS WITHOUT=REQUEST_RELEASE", BREAKS),
        ("window.pml", "NEWS WITHOUT=REQUEST_ACQUIRE", BREAKS),
        ("window.pml", "NEWS WITHOUT=ANSWER_RELEASE", BREAKS),
        ("window.pml", "NEWS WITHOUT=ANSWER_ACQUIRE", BREAKS),
        ("window.pml", "NEWS WITHOUT=NEWS_RELEASE", BREAKS),
        ("window.pml", "NEWS WITHOUT=NEWS_ACQUIRE", BREAKS),
        ("window.pml", "NEWS WITHOUT=ENDING", BREAKS),
        ("window.pml", "NEWS TSO", HOLDS),
        ("window.pml", "NEWS TSO WITHOUT=ENDING", BREAKS),
        ("window.pml", "VERSION", HOLDS),
        ("window.pml", "VERSION WITHOUT=WORD_PUTS", BREAKS),
        ("window.pml", "VERSION WITHOUT=WORD_GETS", BREAKS),
        ("window.pml", "VERSION TSO", HOLDS),
        ("window.pml", "VERSION TSO WITHOUT=WORD_PUTS", HOLDS),
        ("window.pml", "VERSION TSO WITHOUT=WORD_GETS", HOLDS),
        ("window.pml", "ANNOUNCE", HOLDS),
        ("window.pml", "ANNOUNCE WITHOUT=ATOMIC_LOOK", BREAKS),
        ("window.pml", "ANNOUNCE WITHOUT=ATOMICS", BREAKS),
        ("window.pml", "ANNOUNCE TSO", HOLDS),
        ("window.pml", "ANNOUNCE TSO WITHOUT=ATOMIC_LOOK", HOLDS),
        ("window.pml", "ANNOUNCE TSO WITHOUT=ATOMICS", BREAKS),
    ],
}

# Models as they are, every statement of which must have been reached.
WHOLE = ("", "PUT MESSAGES=5", "PUBLISH", "LOCK", "NEWS", "VERSION", "ANNOUNCE")

DEADLINE_S = 600


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=DEADLINE_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def verify(spin, cc, model, defines, expected):
    """The verifier's output after a full search, or up to the first error."""
    with tempfile.TemporaryDirectory() as folder:
        run([spin, "-a"] + ["-D" + word for word in defines.split()] + [model], folder)
        run([cc, "-O1" if expected == HOLDS else "-O0", "-w", "-DSAFETY", "-o", "pan", "pan.c"], folder)
        return run(["./pan", "-m100000", "-w21"], folder)


def unreached(report):
    """Statements that no state had, but for the end of the memory system, which has none."""
    lines = re.findall(r"^\t\S+:(\d+), state \d+, \"(.*)\"$", report, re.MULTILINE)
    return [f"line {line}: {text}" for line, text in lines if text != "-end-"]


def judge(report, defines, expected):
    """Its error, or None."""
    errors = re.search(r"errors: (\d+)$", report, re.MULTILINE)
    if errors is None:
        return f"no verdict:\n{report}"
    if (errors.group(1) == "0") != (expected == HOLDS):
        return f"{expected} was expected:\n{report}"
    if expected == HOLDS and re.search(r"too small|not completed|truncated", report):
        return f"the search was not exhaustive:\n{report}"
    if expected == HOLDS and defines in WHOLE and unreached(report):
        return f"never reached: {unreached(report)}"
    return None


def main():
    spin, cc, group = sys.argv[1:4]
    here = os.path.dirname(os.path.abspath(__file__))
    failures = 0
    for model, defines, expected in CASES[group]:
        report = verify(spin, cc, os.path.join(here, model), defines, expected)
        problem = judge(report, defines, expected)
        states = re.search(r"(\d+) states, stored", report)
        print(f"{model} {defines or 'as it is'}: {problem or expected}"
              f" ({states.group(1) if states else 'no'} states)", flush=True)
        failures += problem is not None
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
