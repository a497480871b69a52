#!/usr/bin/env python3
"""The examples of docs/payload-layout.md: each block of C, compiled by the command behind it, gives the output there.

    check_layout_document.py DOCUMENT TC_CLANG
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

EXAMPLE = re.compile(r"^```c\n(.*?)^```\n\s*^```text\n\$ tc-clang ([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run(tc_clang, source, words):
    with tempfile.TemporaryDirectory() as folder:
        name = next(word for word in words if word.endswith(".c"))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        return subprocess.run([tc_clang] + words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60, check=False)


def main():
    document, tc_clang = sys.argv[1:3]
    with open(document, encoding="utf-8") as file:
        text = file.read()
    examples = EXAMPLE.findall(text)
    failures = 0
    for source, command, expected in examples:
        done = run(tc_clang, source, shlex.split(command))
        if done.stdout != expected or done.returncode != (1 if "error:" in expected else 0):
            print(f"$ tc-clang {command}\nexit status {done.returncode}, printed:\n{done.stdout}\nthe document has:\n{expected}")
            failures += 1
    blocks = text.count("```c\n")
    print(f"{len(examples)} of {blocks} examples, {failures} failures")
    return 1 if failures or not examples or len(examples) != blocks else 0


if __name__ == "__main__":
    sys.exit(main())
