"""A man page is the same with every awk: their treatment of backslashes in replacements differs.

    check_awks.py ROOT MAN_FOLDER
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
AWKS = (("mawk",), ("gawk",), ("original-awk",), ("busybox", "awk"))


def pages_by(awk, root, man_folder, folder):
    """{page: text} of all that one page of Markdown becomes, for each of them, with this awk."""
    programs = os.path.join(folder, awk[0], "bin")
    out = os.path.join(folder, awk[0], "man")
    os.makedirs(programs)
    with open(os.path.join(programs, "awk"), "w", encoding="ascii") as script:
        script.write(f'#!/bin/sh\nexec {" ".join(awk)} "$@"\n')
    os.chmod(script.name, 0o755)
    for source in glob.glob(os.path.join(man_folder, "*.3.md")):
        subprocess.run([os.path.join(root, "scripts", "man-page.sh"), source, "1", out], check=True, timeout=60,
                       env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "1"})
    pages = {}
    for name in os.listdir(out):
        with open(os.path.join(out, name), encoding="utf-8") as text:
            pages[name] = text.read()
    return pages


def main():
    root, man_folder = sys.argv[1:]
    awks = [awk for awk in AWKS if shutil.which(awk[0])]
    if len(awks) < 2 or not shutil.which("lowdown"):
        print("one awk is not enough: packages mawk, gawk, original-awk, busybox, and lowdown")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        made = {awk[0]: pages_by(awk, root, man_folder, folder) for awk in awks}
    first = awks[0][0]
    different = [f"{page}: {name} and {first} differ" for name, pages in made.items() for page in made[first]
                 if pages.get(page) != made[first][page]]
    print("\n".join([*different, f"{len(made[first])} pages by {', '.join(made)}, {len(different)} differ"]))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
