#!/usr/bin/env python3
"""Makes the manual pages of section 3: each of a public header and of docs/man/tc_HEADER.3.md.

    header_manual.py ROOT FOLDER

A header gives its page names, declarations, explanations and statuses. The file in docs/man has the summary behind the names,
and the chapters that no header has (EXAMPLES, SEE ALSO). Its own SYNOPSIS leads readers of it to the header.
"""
import os
import re
import sys
import textwrap

from manual_page import function_name, pages_in, read, statements, type_name

COLUMNS_MAX, CODE_COLUMNS_MAX = 100, 80
CHAPTER = re.compile(r"^# ([A-Z ]+)\n(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)
COUNTERS_PAGE, COUNTERS = "tc_context", "runtime/base/counter_list.h"
COUNTER = re.compile(r'ROW\(\w+, "(\w+)", "([^"]*)"\)')
SECTION = re.compile(r"^/\*(.*?)\*/\n(.*?)(?=^/\*|^#|^\}\n#endif|\Z)", re.MULTILINE | re.DOTALL)
STATUSES = ("TC_", "MPI_")
ITEM = re.compile(r"^  (\w+)  +(\S.*)$|^  (as (?:tc|MPIX)_\w+)(?:  +(\S.*))?$")
TYPE = re.compile(r"^typedef (?:struct|enum) \w+ \{\n.*?^\} \w+;|^typedef (?!struct (\w+) \1;)[^{;]*;", re.MULTILINE | re.DOTALL)


class Section:
    """A comment and the declarations below it."""
    def __init__(self, comment, code):
        self.code = code
        self.functions = [text for text in statements(code) if function_name(text)]
        self.names = [function_name(text) for text in self.functions]
        self.types = [type_name(text) for text in statements(code) if type_name(text)]
        self.parameters = {word for text in self.functions for word in re.findall(r"(\w+) (?:\[ \w+ \] )?[,)]", text)}
        self.text, self.items, self.statuses, self.remarks = [], [], [], []
        self.read(re.sub(r"^ \*(?: |$)", "", comment.strip(), flags=re.MULTILINE))

    def read(self, comment):
        for paragraph in re.split(r"\n\n", comment):
            lines = paragraph.splitlines()
            if lines[0].startswith("  ") and self.functions:
                self.read_items(lines)
            elif lines[0].startswith("  "):
                self.text.append("```\n" + textwrap.dedent(paragraph) + "\n```")
            else:
                (self.remarks if self.statuses else self.text).append(" ".join(line.strip() for line in lines))

    def read_items(self, lines):
        for line in lines:
            found = ITEM.match(line)
            if found:
                name, text = found[1] or found[3], found[2] or found[4] or ""
                (self.statuses if found[3] or name.startswith(STATUSES) else self.items).append([name, text])
                current = (self.statuses if found[3] or name.startswith(STATUSES) else self.items)[-1]
            else:
                current[1] += " " + line.strip()


class Header:
    def __init__(self, root, file):
        text = read(root, f"include/tc/{file}")
        sections = [Section(*found) for found in SECTION.findall(text)]
        self.name = "tc_" + file.removesuffix(".h")
        self.introduction, self.sections = sections[0].text, sections
        self.types = [found.group(0) for found in TYPE.finditer(text)]
        self.explained = [section for section in sections[1:]
                          if any("_internal_" not in name for name in section.names + section.types)]
        self.functions = [name for section in self.explained for name in section.names]


def prototype(text):
    """A declaration as a reader of the manual likes it."""
    text = re.sub(r" (?=[,;)\]])|(?<=[(\[]) | (?=\[)", "", re.sub(r"\* ", "*", text)).replace(" (", "(", 1).replace(" ;", ";")
    text = re.sub(r"\* \(", "*(", text).replace(") (", ")(")
    lines, indent = [""], text.index("(") + 1
    for part in re.findall(r"[^,]+,?\s*", text):
        if len(lines[-1] + part.rstrip()) > CODE_COLUMNS_MAX and lines[-1].strip():
            lines.append(" " * indent)
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def markdown(text, known, page, parameters=()):
    """known: {function: page}."""
    def function(found):
        name = found.group(0)
        where = "()" if known.get(name) == page else "(3)"
        return f"**{name}**{where}" if name in known else f"`{name}`"

    words = re.split(r"(`[^`]*`|\"[^\"]*\"|<tc/[\w/.]+>|\w+=\w+|(?<!\w)(?:--?\w[\w-]*|\*[a-z]\w*))", text)
    for at, word in enumerate(words):
        if at % 2 == 1:  # code, a text, a header, a setting, a program's option or a parameter's target
            words[at] = word if word[0] in '`"' else f"*\\{word}*" if word[0] == "*" else f"`{word}`"
            continue
        word = word.replace("*", "\\*")
        word = re.sub(r"\b(?:tc|MPIX_Am)_\w+(?:\.\w+)?(?:\(\))?|\bMPIX_Am\b", lambda m: function(re.match(r"[\w.]+", m.group(0))), word)
        word = re.sub(r"(?<![*`\w])(TC_[A-Z_]*[A-Z])(?![\w`])", r"**\1**", word)
        word = re.sub(r"(?<![*`\w])((?:NAME|UC[PXS])_\w+|[A-Z]+_[A-Z_]+)(?![\w`])", r"`\1`", word)
        word = re.sub(r"(?<![*`\w.])(tc-\w+)(?![\w`])", r"**\1**(1)", word)
        word = re.sub(r"(?<![*`\w])(\w+)\(([27])\)", r"**\1**(\2)", word)
        word = re.sub(r"(?<![*`\w.])((?!tc_)[a-z]+(?:_[a-z]+)+)(?![\w*`]|\.\w)",
                      lambda m: f"*{m.group(1)}*" if m.group(1) in parameters else f"`{m.group(1)}`", word)
        words[at] = re.sub(r"(?<![*`\w])(ctx|ep|err|fn|opts|params|ucx)(?![\w*`])",
                           lambda m: f"*{m.group(1)}*" if m.group(1) in parameters else m.group(1), word)
    return "".join(words)


def fill(text, first="", rest=""):
    if text.startswith("```"):
        return text
    return textwrap.fill(text, COLUMNS_MAX, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False)


def term(names, paragraphs, items):
    """An entry of a definition list; items are [(name, text)]."""
    out = [", ".join(f"**{name}" for name in names)]
    out += [fill(paragraph, ":   " if at == 0 else "    ", "    ") for at, paragraph in enumerate(paragraphs)]
    for name, text in items:
        out.append(fill(f"{name}: {text}" if text else name, ":   " if len(out) == 1 else "    ", "    "))
    return "\n\n".join(out)


def description(header, known):
    parts = [fill(markdown(text, known, header.name)) for text in header.introduction]
    for section in header.explained:
        paragraphs = [markdown(text, known, header.name, section.parameters) for text in section.text]
        items = [(f"*{name}*", markdown(text, known, header.name, section.parameters)) for name, text in section.items]
        names = [f"{name}**()" for name in section.names] or [f"{name}**" for name in section.types[:1]]
        parts.append(term(names, paragraphs, items))
    return "\n\n".join(parts)


def return_value(header, known):
    parts = []
    for section in header.explained:
        if not section.statuses:
            continue
        items = [(f"**{name}**" if name.startswith(STATUSES) else markdown(f"Those of {name[3:]}", known, header.name),
                  markdown(text, known, header.name, section.parameters)) for name, text in section.statuses]
        items += [(markdown(text, known, header.name, section.parameters), "") for text in section.remarks]
        parts.append(term([f"{name}**()" for name in section.names], [], items))
    return "\n\n".join(parts)


def synopsis(header):
    functions = [prototype(text) for section in header.explained for text in section.functions
                 if "_internal_" not in function_name(text)]
    types = [text for text in header.types if "_internal_" not in text]
    code = "\n\n".join(types + (["\n".join(functions)] if functions else []))
    return f"```c\n#include <tc/{header.name.removeprefix('tc_')}.h>\n\n{code}\n```"


def counters(text):
    """The chapter about the library's counters, of the text of their list."""
    found = COUNTER.findall(re.sub(r"\s*\\\n\s*", " ", text))
    if not found:
        raise SystemExit(f"{COUNTERS}: no rows")
    return "\n\n".join(f"`{name}`\n\n:   {meaning}" for name, meaning in found)


def made(page, header, known, root):
    """The whole text of a page."""
    own = dict(CHAPTER.findall(page.text))
    summary = " ".join(own.pop("NAME", "").split()).partition(" - ")[2]
    own.pop("SYNOPSIS", None)
    names = [name for name in header.functions if name != page.name]
    chapters = {
        # The dash stays beside the last name, where readers of NAME look for it.
        "NAME": fill(", ".join([page.name, *names]) + f"\u00a0-\u00a0{summary}").replace("\u00a0", " "),
        "SYNOPSIS": synopsis(header),
        "DESCRIPTION": description(header, known),
        "COUNTERS": counters(read(root, COUNTERS)) if page.name == COUNTERS_PAGE else "",
        "RETURN VALUE": return_value(header, known),
    }
    if twice := sorted(set(own) & set(chapters)):
        raise SystemExit(f"{page.file}: has the chapter {twice[0]}, which the build makes")
    chapters.update((heading, text.strip("\n")) for heading, text in own.items())
    return "\n\n".join(f"# {heading}\n\n{text}" for heading, text in chapters.items() if text) + "\n"


def check_statuses(header):
    """A function that returns a status has a line for each, with its condition."""
    for section in header.explained:
        for text, name in zip(section.functions, section.names):
            if text.startswith("tc_status ") and not section.statuses:
                yield f"include/tc/{header.name.removeprefix('tc_')}.h: {name} names no status in lines of their own"
        yield from (f"include/tc/{header.name.removeprefix('tc_')}.h: {section.names[0]}: explains {name}, which is no parameter"
                    for name, _ in section.items if name not in section.parameters)


def headers_of(root):
    return [Header(root, file) for file in sorted(os.listdir(os.path.join(root, "include", "tc"))) if file.endswith(".h")]


def manuals(root):
    """{file: text} of all pages of section 3."""
    headers = {header.name: header for header in headers_of(root)}
    known = {name: header.name for header in headers.values() for name in header.functions}
    pages = [page for page in pages_in(os.path.join(root, "docs", "man")) if page.section == "3"]
    if strays := [page.file for page in pages if page.name not in headers]:
        raise SystemExit(f"{strays[0]}: there is no such header in include/tc")
    return {os.path.basename(page.file): made(page, headers[page.name], known, root) for page in pages}


def main():
    root, folder = sys.argv[1:]
    texts = manuals(root)
    os.makedirs(folder, exist_ok=True)
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
