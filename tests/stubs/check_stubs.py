#!/usr/bin/env python3
"""tc-clang --stubs: each header that it refuses, by line; its output for one header; and that C and C++ compile that.

    check_stubs.py ROOT TC_CLANG C_COMPILER
"""
import os
import subprocess
import sys
import tempfile

BEGIN = "#include <stddef.h>\n#include <stdint.h>\n#include <tc/remote.h>\n"

# The text behind the first three lines, the line of the refusal, a part of it.
REFUSED = [
    ("TC_REMOTE void f(char c);", 4, "'c' is a 'char', which is signed on x86_64 and unsigned on aarch64"),
    ("TC_REMOTE void f(TC_COUNT(n) const char *c, size_t n);", 4, "'c' is a 'char'"),
    ("TC_REMOTE char f(void);", 4, "'the result of f' is a 'char'"),
    ("TC_REMOTE void f(wchar_t c);", 4, "'c' is a 'wchar_t'"),
    ("TC_REMOTE void f(TC_COUNT(n) wchar_t *c, size_t n);", 4, "'c' is a 'wchar_t'"),
    ("TC_REMOTE void f(long double x);", 4, "'x' is a 'long double', which has another format"),
    ("struct s { int x;\nint *p; };\nTC_REMOTE void f(struct s s);", 5, "'s.p' is a pointer, which means nothing"),
    ("struct s { union { int x; float y; } u; };\nTC_REMOTE void f(struct s s);", 4, "'s.u' is a union"),
    ("union u { int x; };\nTC_REMOTE void f(const union u *u);", 5, "'u' is a union"),
    ("struct s { int x;\nunsigned b : 3; };\nTC_REMOTE void f(const struct s *s);", 5, "'s.b' is a bit-field"),
    ("TC_REMOTE void f(int **p);", 4, "'p' is a pointer to pointers"),
    ("TC_REMOTE void f(int n, ...);", 4, "'f' takes any number of arguments"),
    ("TC_REMOTE void f(TC_COUNT(m) int *p, size_t n);", 4, "TC_COUNT(m) of 'p': 'f' has no argument 'm'"),
    ("TC_REMOTE void f(TC_COUNT(n) int *p, int n);", 4, "expected an argument of an unsigned type, by value"),
    ("TC_REMOTE void f(TC_COUNT(n) int *p, size_t *n);", 4, "expected an argument of an unsigned type, by value"),
    ("TC_REMOTE void f(TC_COUNT(n) TC_COUNT(n) int *p, size_t n);", 4, "'p' has 2 TC_COUNT, expected one"),
    ("TC_REMOTE void f(TC_COUNT(n) int p, size_t n);", 4, "'p' has TC_COUNT, and is no pointer"),
    ("TC_REMOTE void f(TC_OUT int p);", 4, "'p' has TC_OUT, and is no pointer"),
    ("TC_REMOTE void f(TC_OUT const int *p);", 4, "'p' is TC_OUT, and points to what is const"),
    ("TC_REMOTE void f(void *p);", 4, "'p' points to void, which does not say what is sent"),
    ("TC_REMOTE void f(void (*p)(void));", 4, "'p' is a pointer to a function"),
    ("TC_REMOTE int *f(void);", 4, "'the result of f' is a pointer"),
    ("TC_REMOTE void f(__int128 x);", 4, "'x' is of type '__int128', which no prototype has"),
    ("TC_REMOTE void f(_Complex double x);", 4, "'x' is of type '_Complex double'"),
    ("struct s;\nTC_REMOTE void f(struct s *s);", 5, "'s' is a struct whose members are not declared"),
    ("TC_REMOTE void f(unknown x);", 4, "unknown type name 'unknown'"),
    ("TC_REMOTE void f(int p[]);", 4, "'p' is an array without TC_COUNT"),
    ("TC_REMOTE void f(int p[2][2]);", 4, "'p' is an array of arrays"),
    ("struct s { int x;\nint more[]; };\nTC_REMOTE void f(struct s *s);", 5, "'s.more' is an array without a size"),
    ("struct s { char x[4]; };\nTC_REMOTE void f(struct s *s);", 4, "'s.x' is a 'char'"),
    ("struct __attribute__((packed)) s { int8_t x;\nint y; };\nTC_REMOTE void f(struct s *s);", 5,
     "'s.y' is at byte 1, expected 4"),
    ("struct s { int8_t x;\n__attribute__((aligned(16))) int y; };\nTC_REMOTE void f(struct s *s);", 5,
     "'s.y' is at byte 16, expected 4"),
    ("struct __attribute__((aligned(64))) s { int x; };\nTC_REMOTE void f(struct s *s);", 4,
     "'s' has 64 bytes and alignment 64, expected 4 and 4"),
    ("struct s { int64_t x; int8_t y; } __attribute__((packed));\nTC_REMOTE void f(struct s *s);", 4,
     "'s' has 9 bytes and alignment 1, expected 16 and 8"),
    ("struct s { int x[0x40000000]; };\nTC_REMOTE void f(struct s *s);", 4, "'s.x' ends behind byte 2147483647"),
    ("#include <stdbool.h>\nstruct s { struct { bool x; int y; } more[33]; };\nTC_REMOTE void f(struct s *s);", 5,
     "more than 32 bools or arrays of bools"),
    ("struct s {};\nTC_REMOTE void f(struct s *s);", 5, "'s' is a struct without members"),
    ("TC_REMOTE void f(struct { int x; } *s);", 4, "the type of 's' has no name"),
    ("TC_REMOTE void f(int x);\n\nTC_REMOTE void f(int y);", 6, "'f' is remote in line 4 already"),
    ("TC_REMOTE void f_call(int x);\nTC_REMOTE void f(int y);", 5, "the stubs of 'f_call' or of 'f' define the other one"),
    ("TC_REMOTE void f_capacity(int x);\nTC_REMOTE void f(int y);", 5, "the stubs of 'f_capacity' or of 'f' define the other one"),
    ("TC_REMOTE void f_decode(int x);\nTC_REMOTE void f(int y);", 5, "the stubs of 'f_decode' or of 'f' define the other one"),
    ("TC_REMOTE void f_values(int x);\nTC_REMOTE void f(int y);", 5, "the stubs of 'f_values' or of 'f' define the other one"),
    ("TC_REMOTE static void f(int x);", 4, "'f' is static"),
    ("TC_REMOTE void f();", 4, "'f' does not declare its arguments; without any, write f(void)"),
    ("TC_REMOTE extern int x;", 4, "TC_REMOTE stands at what is no function"),
    ("void f(int x);", 1, "no function is declared TC_REMOTE"),
    ("TC_REMOTE void " + "f" * 64 + "(int x);", 4, "at most 63 bytes"),
    ("TC_REMOTE void f(" + ", ".join(f"int x{i}" for i in range(65)) + ");", 4, "'f' has 65 arguments, at most 64"),
    ("struct s { " + " ".join(f"int x{i};" for i in range(120)) + "\nint more; int last; int end; int x;"
     + " ".join(f"int y{i};" for i in range(20)) + "};\nTC_REMOTE void f(struct s *s);", 5,
     "the prototype exceeds 511 characters"),
    ("struct s { " + " ".join(f"int x{i};" for i in range(70)) + "};\nTC_REMOTE void f(struct s *s, struct s *t);", 5,
     "the prototype of 'f' is longer than 511 characters"),
    ("struct s0 { int x; };\n" + "\n".join(f"struct s{i} {{ struct s{i - 1} x; }};" for i in range(1, 9))
     + "\nTC_REMOTE void f(struct s8 s);", 5, "is a struct inside 8 others, at most 7"),
]

GOLDEN = BEGIN + """
struct pair {
    int32_t left, right;
};

/* Finds those above a bound. */
TC_REMOTE uint32_t sift(TC_COUNT(n) const double *values, size_t n, double answer, TC_OUT TC_COUNT(m) double *found, uint32_t m);

/* Sums what lies between. */
TC_REMOTE double pick(TC_COUNT(n) const double *values, size_t n, const struct pair *range, TC_OUT struct pair *used);
"""


def stubs(tc_clang, include, folder, text, *options):
    with open(os.path.join(folder, "header.h"), "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([tc_clang, "--stubs=.", "header.h", *options, "--", "-I" + include], cwd=folder, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check_refusals(tc_clang, include, failures):
    for text, line, part in REFUSED:
        with tempfile.TemporaryDirectory() as folder:
            done = stubs(tc_clang, include, folder, BEGIN + text + "\n")
            expected = f"header.h:{line}:"
            lines = [found for found in done.stdout.splitlines() if found.startswith(expected) and part in found]
            if done.returncode != 1 or not lines or "no stubs were made of 'header.h'" not in done.stdout:
                failures.append(f"{text}\nexit status {done.returncode}, found:\n{done.stdout}expected: {expected} ... {part}")
            if os.listdir(folder) != ["header.h"]:
                failures.append(f"{text}\nmade {os.listdir(folder)}")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def check_output(root, tc_clang, include, compiler, failures):
    golden = os.path.join(root, "tests/stubs/golden")
    with tempfile.TemporaryDirectory() as folder:
        done = stubs(tc_clang, include, folder, GOLDEN)
        if done.returncode != 0 or done.stdout:
            failures.append(f"exit status {done.returncode}: {done.stdout}")
            return
        calls = read(folder, "header_calls.h")
        sift, pick = calls.index("/* --- sift"), calls.index("/* --- pick")
        found = {"pick_entry.c": read(folder, "pick_entry.c"), "pick_calls.h": calls[pick:], "sift_calls.h": calls[sift:pick],
                 "pick_python.py": read(folder, "header_calls.py"), "pick_rust.rs": read(folder, "header_calls.rs"),
                 "pick_julia.jl": read(folder, "header_calls.jl")}
        for made, text in found.items():
            name = made[:made.index(".")] + ".txt"
            if os.environ.get("TC_TEST_STORE"):
                with open(os.path.join(golden, name), "w", encoding="utf-8") as file:
                    file.write(text)
            if text != read(golden, name):
                failures.append(f"{name} differs from tests/stubs/golden (TC_TEST_STORE=1 stores it):\n{text}")
        for name in ("caller.c", "caller.cpp"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(f'#include "header_calls.h{"pp" if name.endswith("pp") else ""}"\n')
        for name, standard in (("caller.c", "c99"), ("caller.c", "c11"), ("caller.cpp", "c++17"), ("pick_entry.c", "c11"), ("sift_entry.c", "c11")):
            done = subprocess.run([compiler, "-x", "c++" if name.endswith("pp") else "c", "-std=" + standard, "-D_GNU_SOURCE", "-Wall",
                                   "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only", "-I" + include, name], cwd=folder, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != 0:
                failures.append(f"{name} as {standard}: {done.stdout}")


def check_command(tc_clang, include, failures):
    for words, status, part in ((["x.c"], 2, "--stubs: expected one header, NAME.h"),
                                (["a.h", "b.h"], 2, "--stubs: expected one header, NAME.h"),
                                (["a.h", "-o", "a.tca"], 2, "it goes without -o"),
                                (["nowhere.h"], 1, "nowhere.h"),
                                (["nowhere.h", "-###"], 0, "tc-stubs")):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([tc_clang, "--stubs=.", *words, "-I" + include], cwd=folder, timeout=60, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != status or part not in done.stdout:
                failures.append(f"{words}: exit status {done.returncode}: {done.stdout}")


def main():
    root, tc_clang, compiler = sys.argv[1:4]
    include = os.path.join(root, "include")
    failures = []
    check_refusals(tc_clang, include, failures)
    check_output(root, tc_clang, include, compiler, failures)
    check_command(tc_clang, include, failures)
    for failure in failures:
        print(failure)
    print(f"{len(REFUSED)} refusals, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
