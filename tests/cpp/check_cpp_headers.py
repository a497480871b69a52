#!/usr/bin/env python3
"""The C++ headers compile alone, without warnings, in each standard and with and without exceptions; and types that may not be
sent are refused with a text that has the reason.

    check_cpp_headers.py INCLUDE_FOLDER CXX_COMPILER...
"""
import os
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
KINDS = [["-std=c++17"], ["-std=c++20"], ["-std=c++17", "-fno-exceptions"], ["-std=c++17", "-DTC_NO_EXCEPTIONS"],
         ["-std=c++17", "-D__TC_CLANG__"]]

BEGINNING = """#include <tc/tchains.hpp>
#include <string>
void use(tc_error &err, tc::context &ctx, tc_ep *ep, tc_ifunc *fn)
{
    (void)err; (void)ctx; (void)ep; (void)fn;
    %s
}
"""

# A program's source, with the text of the refusal, or None.
USES = [
    ("(void)tc::try_call<int>(err, {ep, fn}, 1, 2.0, \"text\");", None),
    ("(void)tc::try_call<void>(err, {ep, fn, std::chrono::seconds(3)}, std::string(\"text\"));", None),
    ("(void)tc::try_send(err, {ep, fn}, std::vector<int>(3));", None),
    ("(void)ctx.open(\"name\", err);", None),
    ("int x = 1; (void)tc::try_send(err, {ep, fn}, &x);", "no pointers"),
    ("(void)tc::try_send(err, {ep, fn}, std::vector<std::string>());", "trivially copyable"),
    ("(void)tc::try_send(err, {ep, fn}, \"text\", 1, std::vector<int>(3));", None),
    ("(void)tc::try_call<std::tuple<int, std::string, std::vector<float>>>(err, {ep, fn}, std::vector<float>(3), \"text\");", None),
    ("(void)tc::try_call<std::tuple<int, std::string_view>>(err, {ep, fn});", "an answer owns its elements"),
    ("(void)tc::try_call_all<std::tuple<int, std::string>>(err, nullptr, fn);", "the answers have one size"),
    ("auto f = [](std::string_view s, int x) { return x + int(s.size()); }; tc::function<decltype(f)> g{tc::ifunc()};"
     " (void)g.try_call(err, {ep, g}, f, \"text\", 1);", "what varies in size is the last parameter"),
    ("std::string s; auto f = [s] { return 1; }; tc::function<decltype(f)> g{tc::ifunc()}; (void)g.try_call(err, {ep, g}, f);",
     "captures travel as bytes"),
    ("auto f = [](auto x) { return x; }; tc::function<decltype(f)> g{tc::ifunc()}; (void)g.try_call(err, {ep, g}, f, 1);",
     "whose parameters have types"),
    ("auto f = [](int x) { return x; }; tc::function<decltype(f)> g{tc::ifunc()}; (void)g.try_call(err, {ep, g}, f);",
     "another number of parameters"),
    ("auto f = [](int x) { return x; }; tc::function<decltype(f)> g{tc::ifunc()}; (void)g.try_call(err, {ep, g}, f, \"text\");",
     "not those of the function"),
    ("auto f = [](const int *x) { return *x; }; tc::function<decltype(f)> g{tc::ifunc()}; int x = 1;"
     " (void)g.try_call(err, {ep, g}, f, &x);", "no pointers"),
]


def compile_text(compiler, kind, include_folder, text):
    return subprocess.run([compiler, *kind, *WARNINGS, "-I", include_folder, "-x", "c++", "-"], input=text, text=True,
                          capture_output=True, timeout=60, check=False)


def main():
    include_folder, *compilers = sys.argv[1:]
    headers = sorted(name for name in os.listdir(os.path.join(include_folder, "tc")) if name.endswith(".hpp"))
    failures = 0

    def expect(compiler, kind, text, words):
        nonlocal failures
        done = compile_text(compiler, kind, include_folder, text)
        if words in done.stderr and (done.returncode != 0) == bool(words):
            return
        failures += 1
        print(f"{compiler} {' '.join(kind)}: expected {repr(words) if words else 'success'} of\n{text}\n{done.stderr[:4000]}")

    for compiler in compilers:
        for header in headers:
            expect(compiler, KINDS[0], f"#include <tc/{header}>\nextern int tc_header_check;\n", "")
        good = "\n    ".join(f"{{ {use} }}" for use, words in USES if words is None)
        for kind in KINDS:
            expect(compiler, kind, BEGINNING % good, "")
        for use, words in USES:
            if words is not None:
                expect(compiler, KINDS[0], BEGINNING % use, words)
    print(f"{len(headers)} headers, {len(compilers)} compilers: {failures} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
