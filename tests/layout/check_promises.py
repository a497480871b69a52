#!/usr/bin/env python3
"""Lists that two files of the tree have are equal: one row of code has its row in the document, and the other way round.

    check_promises.py ROOT

The calls that functions may rely on, the events of the audit, the words of a policy's lines; and each option quota_* is one that
needs the module of limits.
"""
import re
import sys

from source_tree import read


def table_under(document, heading):
    """The first cells of the table with that heading."""
    return [row.split("|")[1] for row in document.split(heading)[1].split("\n\n")[0].splitlines()[2:]]


def calls(text):
    # A call that takes the size of a struct is promised by the name that programs write.
    return {re.sub(r"_sized$", "", name) for name in re.findall(r"HOST_SYMBOL\((tc_\w+)\)", text)}


def promised_calls(text):
    chapter = text.split("### Calls that the library promises\n")[1].split("\n## ")[0]
    return set(re.findall(r"`(tc_\w+)`", chapter))


def events(text):
    return {event for begun in re.findall(r"\b(?:tci_audit_line_)?begin\((.*?)\);", text, re.DOTALL)
            for event in re.findall(r'"(\w+)"', begun)}


def described_events(text):
    return {event for cell in table_under(text, "| event | when |") for event in re.findall(r"`(\w+)`", cell)}


def policy_words(text):
    return set(re.findall(r'strcmp\(word, "([^"]+)"\)', text))


def described_words(text):
    return {line.split()[0] for cell in table_under(text, "| line | means |") for line in re.findall(r"`([^`]+)`", cell)}


def quotas(text):
    return set(re.findall(r"\((quota_\w+),", text))


def limited_options(text):
    return set(re.findall(r'"option (quota_\w+)"', text))


LISTS = [
    ("call", calls, ["runtime/modules/engine/host_symbols.c", "runtime/modules/calls/calls_module.c",
                   "runtime/modules/libraries/libraries_module.c"], promised_calls, "docs/what-an-ifunc-may-do.md"),
    ("event", events, ["runtime/modules/limits/audit.c", "runtime/modules/limits/audit_file.c"], described_events, "docs/audit.md"),
    ("word", policy_words, ["runtime/engine/policy_reader.c"], described_words, "docs/policy.md"),
    ("option", quotas, ["runtime/base/option_list.h"], limited_options, "runtime/core/limits.h"),
]


def check(root):
    for kind, find, sources, find_promised, document in LISTS:
        offered = set().union(*(find(read(root, path)) for path in sources))
        promised = find_promised(read(root, document))
        if not offered:
            yield f"{sources[0]}: no {kind} found"
        for name in sorted(offered - promised):
            yield f"{document}: lacks the {kind} '{name}' of {sources[0]}"
        for name in sorted(promised - offered):
            yield f"{document}: has the {kind} '{name}', which is not in {' or '.join(sources)}"


def main():
    problems = list(check(sys.argv[1]))
    for problem in problems:
        print(problem)
    print(f"{len(LISTS)} lists, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
