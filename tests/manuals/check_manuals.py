#!/usr/bin/env python3
"""The man pages match programs and headers.

    check_manuals.py ROOT BIN_FOLDER MAN_FOLDER [--fewer]

Every program of BIN_FOLDER, and every script that is one, has a page that explains the commands and options of its --help, and no other
options (--fewer: the build leaves out some that pages have); every function and type of include/tc is in the
synopsis of one page of section 3, which the build made in MAN_FOLDER, as it is declared, and public headers name the statuses
of their functions; load stages are those of the library; references lead to pages.
"""
import os
import re
import subprocess
import sys

from header_manual import check_statuses, headers_of
from manual_page import function_name, pages, pages_in, statements, type_name
from source_tree import read, sources

LINES_MAX, COLUMNS_MAX = 24, 100
SCRIPTS = ["bindings/rust/tc-rustc"]  # which are installed as programs are
OPTION = re.compile(r"(?<![\w=/.-])(--?[A-Za-z#][\w#-]*)")


def pretty(declaration):
    return re.sub(r" (?=[,;)\]])|(?<=[(\[]) | (?=\[)", "", re.sub(r"\* ", "*", declaration)).replace(" (", "(")


def run_help(program, *arguments):
    done = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(arguments)} --help: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def helps(program):
    """The program's own help, and those of its commands that have one: {command: text}."""
    name = os.path.basename(program)
    texts = {name: run_help(program)}
    if re.search(r"^ *(usage: )?tc-\S+ [A-Z]+ (\[options \| )?--help", texts[name], re.MULTILINE):
        for command in re.findall(rf"^  (?:{name} )?([a-z][\w-]*) ", texts[name], re.MULTILINE):
            texts[f"{name} {command}"] = run_help(program, command)
    return texts


def check_program(program, page, fewer):
    name = os.path.basename(program)
    texts = helps(program)
    for command, text in texts.items():
        lines = text.splitlines()
        if len(lines) > LINES_MAX:
            yield f"{command} --help: {len(lines)} lines; a screen has {LINES_MAX}"
        yield from (f"{command} --help: longer than {COLUMNS_MAX}: {line}" for line in lines if len(line) > COLUMNS_MAX)
    if page is None:
        yield f"{name}: has no page: write docs/man/{name}.1.md"
        return
    others = re.compile(rf"\btc-(?!{name.removeprefix('tc-')}\b)\w+ --?\w+")
    offered = {option for text in texts.values() for option in OPTION.findall(others.sub("", text))}
    explained = {option for term in page.terms for option in OPTION.findall(term.replace("`", " "))}
    yield from (f"{page.file}: does not explain {option}, which {name} --help has" for option in sorted(offered - explained))
    commands = {command.removeprefix(name).strip() for command in texts} - {""}
    named = {word for term in page.terms for word in re.findall(r"\*\*([^*]+)\*\*", term)}
    yield from (f"{page.file}: does not explain **{command}**, which {name} --help lists"
                for command in sorted(commands - named))
    if not fewer:
        yield from (f"{page.file}: explains {option}, which {name} --help does not have"
                    for option in sorted(explained - offered))


def check_functions(headers, manuals):
    """headers: {path: [declaration]}."""
    declared = {text: path for path, texts in headers.items() for text in texts}
    found = {}
    for page in manuals:
        for text in page.declarations:
            if text not in declared:
                yield f"{page.file}: its synopsis has what no header declares: {pretty(text)}"
            if text in found:
                yield f"{page.file}: repeats what {found[text]} has: {pretty(text)}"
            found.setdefault(text, page.file)
        functions = [name for name in map(function_name, page.declarations) if name]
        yield from (f"{page.file}: the chapter NAME lacks {name}" for name in functions if name not in page.names)
        yield from (f"{page.file}: the chapter NAME has {name}, the synopsis does not"
                    for name in page.names if name not in functions and name != page.name)
        body = page.chapter("DESCRIPTION")
        yield from (f"{page.file}: the chapter DESCRIPTION does not say what **{name}**() does"
                    for name in functions if f"**{name}**" not in body)
        if functions and f"#include <tc/{page.name.removeprefix('tc_')}.h>" not in page.chapter("SYNOPSIS"):
            yield f"{page.file}: the synopsis does not include <tc/{page.name.removeprefix('tc_')}.h>"
    for text, path in declared.items():
        name = function_name(text) or type_name(text)
        if name and "_internal_" not in name and text not in found:
            page = f"docs/man/tc_{os.path.basename(path).removesuffix('.h')}.3.md"
            yield f"{path}: in no synopsis; {page} has that header's page begin: {pretty(text)}"


def check_headers(root):
    """Functions name their statuses; public headers have no private names; readers of a page's file find its header."""
    for header in headers_of(root):
        yield from check_statuses(header)
    for page in pages_in(os.path.join(root, "docs", "man")):
        file = page.name.removeprefix("tc_") + ".h"
        if page.section == "3" and f"[tc/{file}](../../include/tc/{file})" not in page.chapter("SYNOPSIS"):
            yield f"{page.file}: its SYNOPSIS does not lead to include/tc/{file}"
    for file in sorted(os.listdir(os.path.join(root, "include", "tc"))):
        if file.endswith(".h"):
            yield from (f"include/tc/{file}: has the private name {name}"
                        for name in sorted(set(re.findall(r"\b(?:tci|TCI)_\w+", read(root, f"include/tc/{file}")))))


def check_stages(root):
    """A stage's name is its constant's, in lower case."""
    declared = re.findall(r"^ +TC_STAGE_(\w+) = \d+,", read(root, "include/tc/load.h"), re.MULTILINE)
    named = {stage: name for path in sources(root) if path.startswith("runtime/")
             for stage, name in re.findall(r'\[TC_STAGE_(\w+)\] = "(\w+)"', read(root, path))}
    yield from (f"TC_STAGE_{stage}: named {named.get(stage)} in the library, expected {stage.lower()}"
                for stage in declared if named.get(stage) != stage.lower())
    if not declared:
        yield "include/tc/load.h: no stages"


def check_references(root, manuals):
    known = {f"{name}({page.section})" for page in manuals for name in [page.name, *page.names]}
    for page in manuals:
        for name, section in re.findall(r"\*\*(tc[\w-]*)\*\*\((\d)\)", page.text):
            if f"{name}({section})" not in known:
                yield f"{page.file}: leads to {name}({section}), which is no page"
    overview = read(root, "docs/man/tchains.7.md")
    yield from (f"docs/man/tchains.7.md: does not lead to {page.name}({page.section}); its last chapter has the others"
                for page in manuals if page.section != "7" and f"**{page.name}**({page.section})" not in overview)


def main():
    root, bin_folder, man_folder = sys.argv[1:4]
    fewer = "--fewer" in sys.argv
    manuals = pages(root, man_folder)
    programs = sorted(name for name in os.listdir(bin_folder) if name.startswith("tc-"))
    of_program = {page.name: page for page in manuals if page.section == "1"}
    paths = [os.path.join(bin_folder, name) for name in programs] + [os.path.join(root, script) for script in SCRIPTS]
    problems = [problem for path in paths
                for problem in check_program(path, of_program.get(os.path.basename(path)), fewer)]
    headers = {f"include/tc/{file}": list(statements(read(root, f"include/tc/{file}")))
               for file in sorted(os.listdir(os.path.join(root, "include", "tc"))) if file.endswith(".h")}
    problems += check_functions(headers, [page for page in manuals if page.section == "3"])
    problems += check_headers(root)
    problems += check_stages(root)
    problems += check_references(root, manuals)
    for problem in problems:
        print(problem)
    if problems:
        print("CONTRIBUTING.md, \"Manuals\", says how a page is written.")
    print(f"{len(paths)} programs, {len(headers)} headers, {len(manuals)} pages, {len(problems)} problems")
    return 1 if problems or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
