"""The documents as a site, by Sphinx: scripts/site.sh. A file of Markdown is its page; the lists below are the order."""
import glob
import os
import re
import sys

from docutils import nodes
from pygments.lexers.special import TextLexer

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "manual"))
import header_manual  # noqa: E402  pylint: disable=wrong-import-position
FILES = ["*.md", "docs/**/*.md", "examples/**/*.md"]
CHAPTERS = {  # by files without their ".md"; what is in no list comes last
    "Beginning": ["docs/install", "docs/tutorial", "examples/README", "examples/lessons/*", "examples/*/README",
                  "docs/glossary"],
    "Writing functions": ["docs/what-an-ifunc-may-do", "docs/python", "docs/payload-layout", "docs/groups", "docs/options"],
    "Running nodes": ["docs/running"],
    "When something is wrong": ["docs/troubleshooting", "docs/debugging"],
    "Trust": ["docs/security", "docs/policy", "docs/audit", "docs/attacks", "docs/reliability", "docs/fuzzing"],
    "Figures": ["docs/benchmarks", "docs/scale", "docs/papers/*", "docs/decisions/*"],
    "How it works": ["docs/architecture", "docs/wire-format", "docs/archive-format", "docs/package-format",
                     "docs/image-format", "docs/memory-model", "docs/invariants", "docs/object-cache", "docs/new-architecture", "docs/original-api"],
    "Programs": ["docs/man/tchains.7", "docs/man/*.1"],
    "Headers": ["docs/man/*.3", "docs/man/*.7"],
    "Project": ["CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "CHANGELOG"],
}

DRAWING = re.compile(r"^\[Drawing\]\([\w./-]*figures/measured/([\w-]+)\.json\): (.+(?:\n.+)*)", re.MULTILINE)

project = "Three-Chains"
extensions = ["myst_parser"]
include_patterns = ["*.md", "docs/**.md", "examples/**.md"]  # Sphinx has its own "**"
root_doc = "README"
myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = project
html_theme_options = {  # lines of code have 96 columns
    "light_css_variables": {"code-font-size": "var(--font-size--small--2)"},
    "dark_css_variables": {"code-font-size": "var(--font-size--small--2)"},
}
highlight_language = "text"  # where a fence names none
html_show_copyright = html_show_sphinx = html_copy_source = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]


def names(pattern):
    return sorted(os.path.relpath(file, ROOT).removesuffix(".md")
                  for file in glob.glob(os.path.join(ROOT, pattern), recursive=True))


def manual_names():
    """{what the chapter NAME of a man page lists: the page}"""
    found = {}
    for page in names("docs/man/*.md"):
        text = MADE.get(page) or header_manual.read(ROOT, page + ".md")
        listed = re.search(r"^# NAME\n(.*?) - ", text, re.MULTILINE | re.DOTALL).group(1)
        found.update({name.strip(): page for name in listed.split(",")})
    return found


MADE = {"docs/man/" + name.removesuffix(".md"): text for name, text in header_manual.manuals(ROOT).items()}
MANUAL = manual_names()


def chapters():
    """[(caption, [page])]; each page once."""
    left = [page for pattern in FILES for page in names(pattern) if page != root_doc]
    for caption, patterns in CHAPTERS.items():
        pages = [page for pattern in patterns for page in names(pattern + ".md") if page in left]
        pages = list(dict.fromkeys(pages))
        left = [page for page in left if page not in pages]
        yield caption, pages
    yield "More", left


def outside_fences(text, pattern, replacement):
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(pattern, replacement, part, flags=re.MULTILINE) for part in parts[::2]]
    return "".join(parts)


def add_drawings(app, page, text):
    """Where a document leads to what was measured, the drawing of it is shown."""
    folder = os.path.relpath(app.config.drawings, os.path.dirname(os.path.join(ROOT, page)))
    return DRAWING.sub(lambda found: f"![{found[2][0].upper()}{found[2][1:]}]({folder}/{found[1]}.svg)", text)


def add_frame(app, page, source):
    """README gets the table of contents; a man page, whose chapters are its only headings, a title."""
    source[0] = add_drawings(app, page, source[0])
    if page == root_doc:
        lists = ["```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```" % (caption, "\n".join(pages))
                 for caption, pages in chapters() if pages]
        source[0] += "\n" + "\n\n".join(lists) + "\n"
    elif page.startswith("docs/man/"):
        name, section = os.path.basename(page).rsplit(".", 1)
        source[0] = f"# {name}({section})\n\n" + outside_fences(MADE.get(page, source[0]), r"^(#+ )", r"#\1")


def add_places(_, document):
    """What a man page explains first under a name is the place of that name."""
    for term in document.findall(nodes.term):
        for name in {word.astext() for word in term.findall(nodes.strong)} & set(MANUAL):
            if name not in document.ids:
                term["ids"].append(name)
                document.ids[name] = term


def link_names(app, document, page):
    """A name that has a page leads there, wherever it is written as code or, in man pages, bold."""
    for kind in (nodes.literal, nodes.strong):
        for node in list(document.findall(kind)):
            name = node.astext().removesuffix("()")
            other = MANUAL.get(name)
            within = node.parent
            while within and not isinstance(within, (nodes.reference, nodes.title, nodes.term)):
                within = within.parent
            if other is None or within or other == page:
                continue
            place = "" if name == os.path.basename(other).rsplit(".", 1)[0] or name.startswith("tc-") else f"#{name}"
            link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(page, other) + place)
            node.replace_self(link)
            link += node


def setup(app):
    app.add_lexer("policy", TextLexer)
    app.add_config_value("drawings", "", "env")  # a folder, of scripts/site.sh
    app.connect("source-read", add_frame)
    app.connect("doctree-read", add_places)
    app.connect("doctree-resolved", link_names)
