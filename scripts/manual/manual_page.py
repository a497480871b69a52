"""The Markdown sources of the man pages, and the declarations that they quote."""
import os
import re


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


class Page:
    def __init__(self, folder, file):
        self.file = f"docs/man/{file}"
        self.text = read(folder, file)
        self.name, self.section = file.removesuffix(".md").rsplit(".", 1)

    def chapter(self, heading):
        found = re.search(rf"^# {heading}\n(.*?)(?=^# |\Z)", self.text, re.MULTILINE | re.DOTALL)
        return found.group(1) if found else ""

    @property
    def names(self):
        """The names before the dash of the chapter NAME."""
        return [name.strip() for name in self.chapter("NAME").split(" - ")[0].split(",")]

    @property
    def terms(self):
        """The terms of definition lists, each a line in front of its text."""
        return re.findall(r"^(\S.*)\n\n:   ", self.text, re.MULTILINE)

    @property
    def declarations(self):
        return [statement for block in re.findall(r"^```c\n(.*?)^```", self.chapter("SYNOPSIS"), re.MULTILINE | re.DOTALL)
                for statement in statements(block)]


def pages_in(folder):
    return [Page(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(".md")]


def pages(root, made):
    """All pages; those of section 3 as the build made them, in the folder `made`."""
    written = [page for page in pages_in(os.path.join(root, "docs", "man")) if page.section != "3"]
    return sorted(written + pages_in(made), key=lambda page: page.file)


def statements(text):
    """The declarations of C text, each as words with one space between; bodies of inline functions left out."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", "", text, flags=re.MULTILINE)
    text = re.sub(r'extern "C" \{|\bTC_API\b|\bTC_MUST_CHECK\b|\bTC_PRINTF\([^)]*\)|\bstatic inline\b', " ", text)
    words, depth = [], 0
    for word in re.findall(r"\w+|\.\.\.|\"[^\"]*\"|\S", text):
        inline = function_name(words + [";"]) if word == "{" and depth == 0 else None
        depth += (word == "{") - (word == "}")
        if depth < 0:  # the end of extern "C"
            depth = 0
            continue
        words.append(";" if inline else word)
        if word == "}" and depth == 0 and ";" in words and function_name(words[:words.index(";") + 1]):
            yield " ".join(words[:words.index(";") + 1])
            words = []
        elif word == ";" and depth == 0:
            yield " ".join(words)
            words = []


def function_name(declaration):
    """The name of the function that words or text declare, if they do."""
    text = declaration if isinstance(declaration, str) else " ".join(declaration)
    found = re.match(r"(?!typedef\b|struct\b.*\{)[\w* ]*?\b(tci?_\w+|MPIX_\w+) \(.*\) ;$", text)
    return found.group(1) if found else None


def type_name(declaration):
    """The name of a type whose declaration has more than the name, if it is one."""
    if re.match(r"typedef struct (\w+) \1 ;$", declaration):
        return None
    found = re.match(r"typedef .*?(?:\( \* (\w+) \) \(.*\)|\b(\w+)) ;$", declaration)
    return found and (found.group(1) or found.group(2))
