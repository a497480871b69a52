#!/usr/bin/env python3
"""Lists that two files of the tree have are equal: one row of code has its row in the document, and the other way round.

    check_promises.py ROOT

The calls that functions may rely on, the events of the audit, the words of a policy's lines, the statuses, the deliveries and the
architectures; and each option quota_* is one that needs the module of limits. Numbers that a format and its specification share are
equal. Each option and counter is used, each word of a policy's lines tested and fuzzed, each experiment of tc-perf listed.
"""
import re
import sys

from source_tree import read, walk


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


POLICY = r'strcmp\(word, "([^"]+)"\)'


def policy_words(text):
    return set(re.findall(POLICY, text))


def described_words(text):
    return {line.split()[0] for cell in table_under(text, "| line | means |") for line in re.findall(r"`([^`]+)`", cell)}


def quotas(text):
    return set(re.findall(r"\((quota_\w+),", text))


def limited_options(text):
    return set(re.findall(r'"option (quota_\w+)"', text))


def statuses(text):
    """With their numbers: Julia's list has them in order."""
    return {f"{number} {name}" for name, number in re.findall(r"\b(?:pub const )?TC_(OK|E_\w+)(?:: tc_status)? = -?(\d+)[,;]", text)}


def statuses_of_julia(text):
    names = re.findall(r":(\w+)", text.split("const STATUSES = (")[1].split(")")[0])
    return {f"{number} {name}" for number, name in enumerate(names)}


def last_status(text):
    """The status that programs count up to, as if it were the whole list's last one."""
    last = re.search(r"TC_STATUS_LAST(?:: tc_status)? = TC_(\w+)", text)[1]
    return {status for status in statuses(text) if status.endswith(f" {last}")}


def newest_status(text):
    return {max(statuses(text), key=lambda status: int(status.split()[0]))}


def failures(text):
    return {status.split()[1] for status in statuses(text)} - {"OK"}


def failures_in_julias_document(text):
    return set(re.findall(r"`TC_(E_\w+)`", text.split("| status | means |")[1].split("(`<tc/status.h>`")[0]))


def numbered(enumeration, prefix):
    """Finds the members of an enumeration: `1 direct`."""
    def find(text):
        body = re.search(r"enum %s \{(.*?)\}" % enumeration, text, re.DOTALL)[1]
        return {f"{number} {name.lower()}" for name, number in re.findall(prefix + r"(\w+) = (\d+)", body)}
    return find


def in_row(start):
    """Finds `1 direct, 2 am` in the row of a table that begins so."""
    def find(text):
        row = next(line for line in text.splitlines() if line.startswith(start))
        return {f"{number} {name}" for number, name in re.findall(r"(\d+) (\w+)", row.removeprefix(start))}
    return find


def deliveries(text):
    return {member.split()[1] for member in numbered("tci_hello_delivery", "TCI_HELLO_")(text)}


def in_ways(pattern, *others):
    """Finds the deliveries by which a list of ways goes: the first parts of their names, but for ways that are none."""
    def find(text):
        ways = set().union(*(re.split(r"[ |]", listed) for listed in re.findall(pattern, text)))
        return {way.split("_")[0] for way in ways} - set(others)
    return find


def targets(text):
    return set(re.findall(r'= "([^"]+)"', text))


def described_targets(text):
    return set(re.findall(r"^ +(?:target +=|\|) 0\d +(\S+)$", text, re.MULTILINE))


def value(pattern):
    return lambda text: set(re.findall(pattern, text))


STATUS, HELLO, FRAME = "include/tc/status.h", "runtime/wire/hello.h", "runtime/wire/frame.h"
GRANULE = value(r"TCI_FRAME_GRANULE (\d+)u")

LISTS = [
    ("call", calls, ["runtime/modules/engine/host_symbols.c", "runtime/modules/calls/calls_module.c",
                   "runtime/modules/libraries/libraries_module.c", "runtime/modules/holes/holes_module.c"], promised_calls, "docs/what-an-ifunc-may-do.md"),
    ("event", events, ["runtime/modules/limits/audit.c", "runtime/modules/limits/audit_file.c"], described_events, "docs/audit.md"),
    ("word", policy_words, ["runtime/engine/policy_reader.c"], described_words, "docs/policy.md"),
    ("option", quotas, ["runtime/base/option_list.h"], limited_options, "runtime/core/limits.h"),
    ("status", statuses, [STATUS], statuses, "bindings/rust/tchains-sys/src/sys_status.rs"),
    ("status", statuses, [STATUS], statuses_of_julia, "bindings/julia/ThreeChains.jl/src/library.jl"),
    ("status", failures, [STATUS], failures_in_julias_document, "docs/julia.md"),
    ("last status", newest_status, [STATUS], last_status, STATUS),
    ("delivery", numbered("tci_hello_delivery", "TCI_HELLO_"), [HELLO], in_row("| 2 | READY | 1 |"), "docs/wire-format.md"),
    ("delivery", deliveries, [HELLO], in_ways(r"EXPECTED_DELIVERY=(\w+)", "loopback"), "cmake/TcTests.cmake"),
    ("delivery", deliveries, [HELLO], in_ways(r"(?:set\(|APPEND )ways ([^)]*)"), "tests/conformance/CMakeLists.txt"),
    ("delivery", deliveries, [HELLO], in_ways(r"sanitized=.*\.\(([^)]*)\)", "sealed", "bitcode", "compiled"), "scripts/variant.sh"),
    ("architecture", numbered("tci_hello_isa", "TCI_HELLO_"), [HELLO], in_row("| 7 | 1 | isa |"), "docs/wire-format.md"),
    ("target", targets, ["bitcode-archive/archive_layout.c"], described_targets, "docs/archive-format.md"),
    ("protocol", value(r"TC_PROTOCOL_VERSION (\d+)"), ["include/tc/version.h"], value(r"(\d+) \(`TC_PROTOCOL_VERSION`\)"),
     "docs/wire-format.md"),
    ("granule", GRANULE, [FRAME], value(r"multiples of (\d+)\s+bytes \(\*granules\*"), "docs/wire-format.md"),
    ("granule", GRANULE, [FRAME], value(r"(\d+)-byte granules"), "docs/architecture.md"),
    ("granule", GRANULE, [FRAME], value(r"unit of (\d+) bytes"), "docs/glossary.md"),
]

EXPERIMENT = r"^const perf_experiment (\w+)_experiment = "
# Names that files define, and other files or folders that have each of them.
USED = [
    ("option", r"\((\w+), \"TC_", "runtime/base/option_list.h", r"(?:\.|->)%s\b", "runtime/"),
    ("counter", r"ROW\((\w+), ", "runtime/base/counter_list.h", r"\b%s\b", "runtime/"),
    ("word", POLICY, "runtime/engine/policy_reader.c", "%s", "tests/engine/test_symbol_policy.c"),
    ("word", POLICY, "runtime/engine/policy_reader.c", "%s", "tests/fuzz/corpus/symbol_policy/"),
    ("experiment", EXPERIMENT, "benchmarks/[^/]*$", r"\brow\(%s\)", "benchmarks/perf_experiment.c"),
    ("experiment", EXPERIMENT, "benchmarks/papers/", r"\brow\(%s\)", "benchmarks/papers/paper_list.h"),
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


def check_uses(root):
    files = list(walk(root))
    for kind, names, path, use, where in USED:
        found = {name for file in files if re.match(path, file) for name in re.findall(names, read(root, file), re.MULTILINE)}
        text = "\n".join(read(root, file) for file in files if file.startswith(where) and file != path)
        if not found:
            yield f"{path}: no {kind} found"
        yield from (f"{path}: has the {kind} '{name}', which {where} lacks" for name in sorted(found)
                    if not re.search(use % re.escape(name), text, re.MULTILINE))


def main():
    problems = list(check(sys.argv[1])) + list(check_uses(sys.argv[1]))
    for problem in problems:
        print(problem)
    print(f"{len(LISTS)} lists, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
