#!/usr/bin/env python3
"""Every test that docs/attacks.md names is there, and runs.

    check_attacks.py ROOT
"""
import os
import re
import sys

ROOT = sys.argv[1]
FILE = r"(?:[a-z_]+/)+[a-z_]+\.(?:c|py|jl)"


def problems(text):
    named = 0
    for row in re.findall(r"^\| .* \| (.*) \|$", text, re.MULTILINE):
        for file, tests in re.findall(rf"({FILE})((?: `[a-z0-9_]+`)+)", row):
            path = os.path.join(ROOT, "tests", file)
            if not os.path.exists(path):
                yield f"docs/attacks.md: tests/{file} is not there"
                continue
            with open(path, encoding="utf-8") as source:
                body = source.read()
            for test in re.findall(r"`(.*?)`", tests):
                named += 1
                uses = rf"def {test}\(self\)" if file.endswith(".py") else rf"\w\({test}\b(?! *\(void)"
                if not re.search(uses, body):
                    yield f"docs/attacks.md: {file} has no test {test}"
    if named < 50:
        yield f"docs/attacks.md: {named} tests were found in it"


with open(os.path.join(ROOT, "docs", "attacks.md"), encoding="utf-8") as document:
    found = list(problems(document.read()))
print("\n".join(found) or "all there")
sys.exit(1 if found else 0)
