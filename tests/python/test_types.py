#!/usr/bin/env python3
"""Type hints: mypy accepts a user's program, sees mistakes in one, and finds the hints to be those of the package."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from python_case import BUILD, PythonCase, main

# The machine's own Python may have it where this one has not.
PYTHON = next((python for python in (sys.executable, "/usr/bin/python3")
               if os.path.exists(python) and subprocess.run([python, "-m", "mypy", "--version"], capture_output=True, check=False).returncode == 0), None)
RIGHT = """
import asyncio
from typing import Annotated

import numpy as np
import numpy.typing as npt
import tchains
from tchains import here

Column = Annotated[npt.NDArray[np.float64], tchains.Payload(np.float64)]

@tchains.ifunc
def add(a: float, b: float) -> float:
    return a + b

@tchains.ifunc(fastmath=True)
def total(column: Column) -> float:
    return float(column.sum()) + here.rank()

def use(context: tchains.Context, node: tchains.Endpoint) -> float:
    result: float = node.call(add, 40, 2)
    started: tchains.Call[float] = node.start(add, 1, 2, timeout=5)
    sums: list[float] = context.join().call_all(add, 1, 2)
    function: tchains.Function = context.open_file("f.tca")
    reply: bytes = node.call(function, b"bytes")
    pointer: tchains.GlobalPointer = context.window(bytearray(8), tchains.Rights.READ | tchains.Rights.WRITE).pointer + 8
    node.put(pointer, b"12345678")
    word: int = node.fetch_add(pointer, 1)
    content: bytes = node.get(pointer, 8)
    return result + started.result() + sum(sums) + len(reply) + word + len(content)

async def both(node: tchains.Endpoint) -> list[float]:
    return list(await asyncio.gather(node.call_async(add, 1, 2), node.call_async(add, 3, 4)))

def everywhere() -> list[float]:
    with tchains.local(4) as workers:
        try:
            return workers.map(add, [1.0, 2.0], [3.0, 4.0])
        except tchains.WorkerLost as lost:
            print(lost.text, [worker.pid for worker in workers])
            return [workers.submit(add, 1, 2).result(5)]

if __name__ == "__main__":
    with tchains.Context(call_timeout="5s") as ctx, ctx.connect("127.0.0.1:7000") as peer:
        print(use(ctx, peer), here)
"""
WRONG = """
import tchains
@tchains.ifunc
def add(a: float, b: float) -> float:
    return a + b
with tchains.Context() as context, context.connect("127.0.0.1:7000") as node:
    text: str = node.call(add, 1, 2)
    node.call(lambda a: a, 1)
    context.listen(7000)
    context.nothing()
    add("one", 2)
"""


@unittest.skipIf(PYTHON is None, "no Python has mypy (Debian: apt-get install mypy)")
class Types(PythonCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name  # of all tests, for the cache of mypy

    def mypy(self, *arguments):
        return subprocess.run([PYTHON, "-m", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=230, check=False,
                              env={**os.environ, "MYPYPATH": os.path.join(BUILD, "python"), "MYPY_CACHE_DIR": os.path.join(self.folder, "cache")})

    def check(self, text):
        with open(os.path.join(self.folder, "program.py"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.mypy("mypy", "--strict", "program.py")

    def test_a_program_of_a_user_is_accepted(self):
        done = self.check(RIGHT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mistakes_are_seen(self):
        done = self.check(WRONG)
        lines = sorted({int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line})
        self.assertEqual(lines, [7, 8, 9, 10, 11], done.stdout)

    @unittest.skipIf(PYTHON is None or importlib.util.find_spec("numba") is None, "no Numba here (Debian: apt-get install python3-numba)")
    def test_the_hints_are_those_of_the_package(self):
        """The names of the package itself, not of its modules."""
        with open(os.path.join(self.folder, "allowed"), "w", encoding="utf-8") as file:
            file.write("\n".join((r"tchains\.(?!ifunc|local|serving)[a-z_]+(\..*)?", r"tchains\.\w+\.__(init|new)__")) + "\n")
        with open(os.path.join(self.folder, "config"), "w", encoding="utf-8") as file:
            file.write("[mypy]\nignore_missing_imports = True\n[mypy-tchains.*]\nignore_errors = True\n")
        done = self.mypy("mypy.stubtest", "tchains", "--ignore-missing-stub", "--mypy-config-file", os.path.join(self.folder, "config"), "--allowlist", os.path.join(self.folder, "allowed"), "--ignore-unused-allowlist")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Names(PythonCase):
    """Also without mypy."""

    def test_every_public_name_has_hints(self):
        import ast
        import tchains
        with open(os.path.join(BUILD, "python", "tchains", "__init__.pyi"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        names = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        names |= {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}
        self.assertEqual({name for name in names if not name.startswith("_")}, set(tchains.__all__))
        self.assertTrue(os.path.exists(os.path.join(BUILD, "python", "tchains", "py.typed")))


if __name__ == "__main__":
    main()
