#!/usr/bin/env python3
"""The instructions of the helpers of runtime/ring and of windows: on aarch64 the releases, acquires and atomic
operations that docs/memory-model.md counts on, and no barrier beside them, on either processor.

    check_orders.py ROOT CLANG

On x86_64 a release is a plain move, so no test that runs there would miss one.
"""
import os
import re
import subprocess
import sys

RELEASE, ACQUIRE, STORE, LOAD = "stlr", "ldar", "str", "ldr"
ATOMIC = "acquire and release"
LDAPR = "ldapr"  # an acquire that may overtake a release before it

# Function: its C text, and the stores and loads of it on aarch64, in order.
RING = {
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

# The same of windows: those with an order alone, as a view has plain words of its own. First those of a peer that has
# mapped a window, then the owner's. ATOMIC is one instruction with `lock` on x86_64.
VIEW = "const tc_window_view *view, uint64_t at"
WINDOWS = {
    "view_get": (f"tc_status F({VIEW}, uint64_t *to) {{ return tc_window_view_get(view, at, to); }}", [ACQUIRE]),
    "view_put": (f"tc_status F({VIEW}, uint64_t value) {{ return tc_window_view_put(view, at, value); }}", [RELEASE]),
    "view_add": (f"tc_status F({VIEW}, uint64_t value, uint64_t *to)"
                 " { return tc_window_view_fetch_add(view, at, value, to); }", [ATOMIC]),
    "view_swap": (f"tc_status F({VIEW}, uint64_t a, uint64_t b, uint64_t *to)"
                  " { return tc_window_view_compare_swap(view, at, a, b, to); }", [ATOMIC]),
    "copy_out": ("void F(uint8_t *to, const uint8_t *at) { tci_window_copy_out(to, at, 8); }", [ACQUIRE]),
    "copy_in": ("void F(uint8_t *at, const uint8_t *from) { tci_window_copy_in(at, from, 8); }", [RELEASE]),
    # Larger ones have no order to be counted on.
    "copy_out_two": ("void F(uint8_t *to, const uint8_t *at) { tci_window_copy_out(to, at, 16); }", []),
    "copy_in_two": ("void F(uint8_t *at, const uint8_t *from) { tci_window_copy_in(at, from, 16); }", []),
    "word_add": ("uint64_t F(uint64_t *at, uint64_t value) { return tci_window_word_add(at, value); }", [ATOMIC]),
    # It compares before it swaps, in one order with other atomic operations: LDAPR would not do.
    "word_swap": ("bool F(uint64_t *at, const uint64_t *words, uint64_t *to)"
                  " { return tci_window_word_swap(at, words, UINT64_MAX, UINT64_MAX, to); }", [ACQUIRE, ATOMIC]),
}
MAY_OVERTAKE = ("view_get", "copy_out")

UNITS = [('#include "ring/producer.h"\n', RING),
         ('#include <tc/window_view.h>\n#include "modules/windows/window_words.h"\n', WINDOWS)]

# Processors, and how code for them differs: atomic operations by calls, by loops, by instructions; acquires by LDAPR.
X86_64, AARCH64 = "x86_64-linux-gnu", "aarch64-linux-gnu"
TARGETS = [(X86_64, []), (AARCH64, ["-moutline-atomics"]), (AARCH64, ["-mno-outline-atomics"]),
           (AARCH64, ["-march=armv8.1-a"]), (AARCH64, ["-march=armv8.3-a"])]

KINDS = [(r"stlr", RELEASE), (r"lda(?:p)?u?r", ACQUIRE), (r"st[upr]\w*", STORE), (r"ld[upr]\w*", LOAD)]
ATOMIC_LOOP = r"ldaxr\b[^\n]*(?:\n(?!\tldaxr)[^\n]*)*?\n\tstlxr\b"
ATOMICS = rf"(?:ldaddal|casal)\b|bl\t__aarch64_(?:ldadd|cas)8_acq_rel\b|{ATOMIC_LOOP}"
HALF = r"(?:ld|st)a?l?xr\b"
ORDERS = re.compile(rf"^\t(?:(?P<atomic>{ATOMICS})|(?P<plain>ldap?r\b|stlr\b|{HALF}))", re.MULTILINE)
BARRIERS = {AARCH64: r"\b(dmb|dsb|isb)\b", X86_64: r"\b(mfence|sfence|lfence|lock|xchg\w*)\b"}


def compile_for(root, clang, target, includes, functions):
    source = includes + "".join(text.replace("F(", f"f_{name}(", 1) + "\n" for name, (text, _) in functions.items())
    triple, flags = target
    command = [clang, f"--target={triple}", *flags, "-std=c11", "-O2", "-DNDEBUG", "-fno-asynchronous-unwind-tables",
               "-S", "-o", "-", "-x", "c", "-I", os.path.join(root, "runtime"), "-I", os.path.join(root, "include")]
    headers = f"/usr/{triple}/include"
    if os.path.isdir(headers):
        command += ["-isystem", headers]
    done = subprocess.run(command + ["-"], input=source, text=True, timeout=60, stdout=subprocess.PIPE, check=True)
    return done.stdout


def body_of(assembly, name):
    return re.search(rf"^f_{name}:[^\n]*\n(.*?)^\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL).group(1)


def accesses(body):
    for mnemonic in re.findall(r"^\t([a-z]\w*)", body, re.MULTILINE):
        for pattern, kind in KINDS:
            if re.fullmatch(pattern, mnemonic):
                yield kind
                break


def orders(name, body):
    """Its acquires, releases and atomic operations. Half of one that has another order is named as it is."""
    for match in ORDERS.finditer(body):
        found = ATOMIC if match.group("atomic") else match.group("plain")
        yield ACQUIRE if found == LDAPR and name in MAY_OVERTAKE else found


def problems_of(assembly, target, functions, name):
    triple = target[0]
    where = " ".join([triple, *target[1]])
    body = body_of(assembly, name)
    expected = functions[name][1]
    barriers = re.findall(BARRIERS[triple], body)
    if barriers != ["lock"] * (expected.count(ATOMIC) if triple == X86_64 else 0):
        yield f"{where}: {name} has {barriers}:{body}"
    if name == "store_and_look" and "MEMBARRIER" not in body:  # LLVM's mark of a fence for the compiler
        yield f"{where}: nothing keeps the compiler from looking before it stores:{body}"
    found = list(accesses(body) if functions is RING else orders(name, body))
    if triple == AARCH64 and found != expected:
        yield f"{where}: {name} does {found}, expected {expected}:{body}"


def main():
    root, clang = sys.argv[1:3]
    problems = []
    for target in TARGETS:
        for includes, functions in UNITS:
            assembly = compile_for(root, clang, target, includes, functions)
            problems += [text for name in functions for text in problems_of(assembly, target, functions, name)]
    for problem in problems:
        print(problem)
    print(f"{len(RING) + len(WINDOWS)} functions for {len(TARGETS)} kinds of processors, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
