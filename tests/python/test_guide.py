#!/usr/bin/env python3
"""docs/python.md, as its reader types it; and the examples."""
import doctest
import os
import re
import sys
import tempfile
import unittest

from python_case import BUILD, ROOT, Process, PythonCase, main, needs_numba


@needs_numba
class Guide(PythonCase):
    """The document and the files that it links to."""

    def setUp(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            self.text = file.read()

    def typed(self, kind):
        """The text typed under that name."""
        return re.search(rf"^```{kind}\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL).group(1)

    def folder(self):
        """One to type in."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        return folder.name

    def test_what_it_shows(self):
        folder = self.folder()
        for source in ("whoami.c", "nearest.c", "sloped.c"):
            with open(os.path.join(folder, source), "w", encoding="utf-8") as file:
                file.write(self.typed(f"c {source}"))
            Process(self, [self.tool("tc-clang"), "-I", os.path.join(ROOT, "include"), source]).expect(0)
        node = self.node()
        code = "\n".join(re.findall(r"^```python\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL))
        names = {"address": node.address, "__name__": "guide"}
        test = doctest.DocTestParser().get_doctest(code, names, "python.md", "python.md", 0)
        self.assertGreater(len(test.examples), 25)
        said = []
        doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=said.append)
        self.assertEqual("".join(said), "")

    def test_ten_lines_from_nothing(self):
        lines = self.typed("sh ten")
        self.assertLessEqual(len(lines.splitlines()), 10)
        # Another port, so that no other node answers; and this Python, with the package.
        from tool_process import quiet_port
        lines = lines.replace("7000", str(quiet_port())).replace("python3 first.py", f"{sys.executable} -B first.py")
        typed = Process(self, ["sh", "-c", f"cd {self.folder()}\n{lines}\nkill $!"],
                        PATH=f"{BUILD}/bin:{os.environ['PATH']}", PYTHONPATH=os.environ["PYTHONPATH"]).expect(0)
        self.assertIn("42.0\n", typed.out)

    def example(self, *arguments):
        run = os.path.join(ROOT, "examples", "python", "run.sh")
        return Process(self, [run, BUILD, *arguments], TC_PYTHON=sys.executable, PYTHONDONTWRITEBYTECODE="1").expect(0)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "examples", "python")), "this build has no examples")
    def test_the_filter(self):
        self.assertIn("of 200000 values are above", self.example("filter", "--rows", "200000").out)
        compared = self.example("filter", "--rows", "200000", "--compare", "--rounds", "1", "--warm", "0").out
        self.assertRegex(compared, r"takes [\d.]+ of the time of C")

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "examples", "python")), "this build has no examples")
    def test_map_reduce(self):
        job = self.example("map_reduce", "3")
        self.assertRegex(job.err, r"2999\d\d of 300000 values of 3 ranks|300000 of 300000 values")
        self.assertIn("*" * 60, job.out)


if __name__ == "__main__":
    main()
