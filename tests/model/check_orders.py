#!/usr/bin/env python3
"""The instructions of the helpers of runtime/ring: on aarch64 the releases and acquires that docs/memory-model.md counts
on, and no barrier beside them, on either processor.

    check_orders.py ROOT CLANG

On x86_64 a release is a plain move, so no test that runs there would miss one.
"""
import os
import re
import subprocess
import sys

RELEASE, ACQUIRE, STORE, LOAD = "stlr", "ldar", "str", "ldr"

# Function: its C text, and the stores and loads of it on aarch64, in order.
HELPERS = {
    "store_signal": ("void F(uint8_t *at, uint64_t v) { tci_ring_store_signal(at, v); }", [RELEASE]),
    "load_signal": ("uint64_t F(const uint8_t *at) { return tci_ring_load_signal(at); }", [ACQUIRE]),
    "store_consumed": ("void F(tci_ring_word *at, uint64_t v) { tci_ring_store_consumed(at, v); }", [RELEASE]),
    "load_consumed": ("uint64_t F(const tci_ring_word *at) { return tci_ring_load_consumed(at); }", [ACQUIRE]),
    "store_bell": ("void F(tci_ring_word *at, uint64_t a, uint64_t b) { tci_ring_store_doorbell(at, a, b); }",
                   [STORE, RELEASE]),
    "load_bell": ("uint64_t F(const tci_ring_word *at) { return tci_ring_load_doorbell(at); }", [LOAD]),
    "load_bell_position": ("uint64_t F(const tci_ring_word *at) { return tci_ring_load_doorbell_position(at); }",
                           [ACQUIRE, LOAD]),
    "store_and_look": ("uint64_t F(uint8_t *at, const tci_ring_word *doorbell)"
                       " { tci_ring_store_signal(at, 7); return tci_ring_load_doorbell(doorbell); }", [RELEASE, LOAD]),
    # The whole of a frame, header word and payload in one store.
    "commit_word": ("void F(uint8_t *at, uint64_t word, uint64_t payload, uint64_t signal) {"
                    " tci_producer p = {.signal = signal}; tci_producer_commit_word(&p, at, word, payload); }",
                    [STORE, RELEASE]),
}

KINDS = [(r"stlr", RELEASE), (r"lda(?:p)?u?r", ACQUIRE), (r"st[upr]\w*", STORE), (r"ld[upr]\w*", LOAD)]
BARRIERS = {"aarch64-linux-gnu": r"\b(dmb|dsb|isb)\b", "x86_64-linux-gnu": r"\b(mfence|sfence|lfence|lock|xchg\w*)\b"}


def compile_for(root, clang, target):
    source = "".join(text.replace("F(", f"f_{name}(", 1) + "\n" for name, (text, _) in HELPERS.items())
    command = [clang, f"--target={target}", "-std=c11", "-O2", "-DNDEBUG", "-fno-asynchronous-unwind-tables", "-S", "-o", "-", "-x", "c",
               "-I", os.path.join(root, "runtime"), "-I", os.path.join(root, "include")]
    headers = f"/usr/{target}/include"
    if os.path.isdir(headers):
        command += ["-isystem", headers]
    done = subprocess.run(command + ["-"], input='#include "ring/producer.h"\n' + source, text=True, timeout=60,
                          stdout=subprocess.PIPE, check=True)
    return done.stdout


def body_of(assembly, name):
    return re.search(rf"^f_{name}:[^\n]*\n(.*?)^\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL).group(1)


def accesses(body):
    for mnemonic in re.findall(r"^\t([a-z]\w*)", body, re.MULTILINE):
        for pattern, kind in KINDS:
            if re.fullmatch(pattern, mnemonic):
                yield kind
                break


def problems_of(assembly, target, name):
    body = body_of(assembly, name)
    barrier = re.search(BARRIERS[target], body)
    if barrier:
        yield f"{target}: {name} has {barrier.group(0)}:{body}"
    if name == "store_and_look" and "MEMBARRIER" not in body:  # LLVM's mark of a fence for the compiler
        yield f"{target}: nothing keeps the compiler from looking before it stores:{body}"
    found = list(accesses(body))
    if target.startswith("aarch64") and found != HELPERS[name][1]:
        yield f"{target}: {name} does {found}, expected {HELPERS[name][1]}:{body}"


def main():
    root, clang = sys.argv[1:3]
    problems = []
    for target in BARRIERS:
        assembly = compile_for(root, clang, target)
        problems += [problem for name in HELPERS for problem in problems_of(assembly, target, name)]
    for problem in problems:
        print(problem)
    print(f"{len(HELPERS)} functions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
