#!/usr/bin/env python3
"""scripts/site.sh makes a site of all documents: every link in it leads somewhere, and nothing in it needs a network.

    check_site.py ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from source_tree import walk

SKIPPED = 77
MODULES = "import sphinx, myst_parser, furo, matplotlib"


class Page(HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        with open(file, encoding="utf-8") as text:
            self.feed(text.read())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.places.update(values[key] for key in ("id", "name") if values.get(key))
        if values.get("href") and tag == "a":
            self.links.append(values["href"])
        elif values.get("href") or values.get("src"):
            self.loads.append(values.get("href") or values["src"])


def check(folder, documents):
    pages = {os.path.relpath(os.path.join(at, name), folder): None
             for at, _, names in os.walk(folder) for name in names if name.endswith(".html")}
    pages = {page: Page(os.path.join(folder, page)) for page in pages}
    yield from (f"{document}: has no page" for document in documents if document.removesuffix(".md") + ".html" not in pages)
    for name, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads:
                    yield f"{name}: loads {link}"
                continue
            file = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path))) if parts.path else name
            if not os.path.exists(os.path.join(folder, file)):
                yield f"{name}: link to {link}, which is not there"
            elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].places:
                yield f"{name}: link to {link}, which has no such place"
            elif file.endswith(".json"):
                yield f"{name}: link to {link}, and not its drawing"
    first = pages.get("README.html")
    reached = {os.path.normpath(unquote(urlsplit(link).path)) for link in first.links} if first else set()
    yield from (f"{document}: the list of pages lacks it" for document in documents
                if document.removesuffix(".md") + ".html" not in reached | {"README.html"})


def main():
    root = os.path.abspath(sys.argv[1])
    sphinx = shutil.which("sphinx-build")
    python = "/usr/bin/python3"  # of the packages, whatever else is installed
    if not sphinx or subprocess.run([python, "-c", MODULES], capture_output=True, check=False).returncode != 0:
        print("nothing to make a site with: packages python3-sphinx, python3-myst-parser, furo, python3-matplotlib")
        return SKIPPED
    documents = [path for path in walk(root) if path.endswith(".md") and
                 (path.startswith(("docs/", "examples/")) or os.sep not in path)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "a site")
        done = subprocess.run([os.path.join(root, "scripts", "site.sh"), folder], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(done.stdout)
        problems = list(check(folder, documents))
        if not os.path.exists(os.path.join(folder, "searchindex.js")):
            problems.append("nothing can be searched: no searchindex.js")
    for problem in problems:
        print(problem)
    print(f"{len(documents)} documents, {len(problems)} problems")
    return 1 if problems or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
