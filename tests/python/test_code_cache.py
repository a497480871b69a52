#!/usr/bin/env python3
"""Compiled Python functions on disk: found by another process, and by no other function; never trusted, never in the way."""
import importlib.util
import os
import random
import sys
import tempfile
import unittest

from python_case import PythonCase, main, needs_numba

try:
    import numpy as np
    from tchains import code_cache
    from tchains.fingerprint import Unknown, fingerprint
    from tchains.parameters import Signature
except ImportError:  # every class here is skipped
    np = None

SOURCE = """
import numba
import numpy as np
import tchains

FACTOR = {factor}

@numba.njit
def scaled(value):
    return value {operator} FACTOR

@tchains.ifunc
def number(value: float):
    return scaled(value)

@tchains.ifunc
def several(value: float):
    return value, int(value), value > 1.0

@tchains.ifunc
def squares(count: np.int32):
    out = np.zeros(count, np.int64)
    for i in range(count):
        out[i] = i * i
    return out

@tchains.ifunc
def table(rows: np.int32) -> tchains.Reply(shape=(None, 2)):
    return np.ones((rows, 2), np.float32)

@tchains.ifunc
def mixed(value: float):
    return (value, int(value)), np.ones(2, np.float32), value > 1.0

@tchains.ifunc
def nothing(value: float):
    pass
"""
USE = """
import sys, tchains, source
with tchains.Context() as ctx, ctx.connect(sys.argv[1], timeout=60) as node:
    for name in "number", "several", "squares", "table", "mixed", "nothing":
        result = node.call(getattr(source, name), 3)
        print(name, type(result).__name__, result.tolist() if hasattr(result, "tolist") else result)
print("compiled" if "tchains.numba_module" in sys.modules else "found")
"""
SLICES = [("x86_64-unknown-linux-gnu", b"BC" * 40), ("aarch64-unknown-linux-gnu", b"bc" * 30)]
KEY = "0123456789abcdef" * 4


@needs_numba
class Processes(PythonCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.cache = folder.name, os.path.join(folder.name, "cache")

    def write(self, factor=2.0, operator="*"):
        for name, text in ("source.py", SOURCE.format(factor=factor, operator=operator)), ("use.py", USE):
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
                file.write(text)

    def use(self, node, cache=None):
        """The lines of a process that calls all functions; the last one shows whether it compiled any."""
        process = self.python(os.path.join(self.folder, "use.py"), node.address, TC_CACHE_DIR=self.cache if cache is None else cache)
        process.expect(0, seconds=120)
        return process.out.splitlines()

    def files(self):
        return sorted(os.listdir(os.path.join(self.cache, "python")))

    def test_the_next_process_compiles_nothing(self):
        node = self.node()
        self.write()
        *first, how = self.use(node)
        self.assertEqual(how, "compiled")
        self.assertEqual(first, ["number float 6.0", "several tuple (3.0, 3, True)", "squares ndarray [0, 1, 4]",
                                 "table ndarray [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]",
                                 "mixed tuple ((3.0, 3), array([1., 1.], dtype=float32), True)", "nothing NoneType None"])
        self.assertEqual(len(self.files()), 6)
        self.assertEqual(self.use(node), [*first, "found"])
        node.stop()

    def test_what_changed_is_compiled(self):
        """A value or a function outside counts."""
        node = self.node()
        for factor, operator, result in (2.0, "*", 6.0), (5.0, "*", 15.0), (5.0, "+", 8.0):
            self.write(factor, operator)
            first, *_, how = self.use(node)
            self.assertEqual((first, how), (f"number float {result}", "compiled"))
        self.write(5.0, "*")
        self.assertEqual(self.use(node)[-1], "found")
        node.stop()

    def test_damaged_files_are_replaced(self):
        node = self.node()
        self.write()
        expected = self.use(node)[:-1]
        for name in self.files():
            path = os.path.join(self.cache, "python", name)
            with open(path, "r+b") as file:
                file.seek(os.path.getsize(path) // 2)
                file.write(b"\\0")
        self.assertEqual(self.use(node), [*expected, "compiled"])
        self.assertEqual(self.use(node), [*expected, "found"])
        node.stop()

    def test_a_folder_that_others_can_write_is_not_used(self):
        node = self.node()
        self.write()
        expected = self.use(node)[:-1]
        os.chmod(os.path.join(self.cache, "python"), 0o777)
        self.assertEqual(self.use(node), [*expected, "compiled"])
        os.chmod(os.path.join(self.cache, "python"), 0o700)
        self.assertEqual(self.use(node, cache="")[-1], "compiled")
        self.assertEqual(self.use(node)[-1], "found")
        node.stop()


@needs_numba
class Fingerprints(unittest.TestCase):
    @staticmethod
    def of(text, name="f", options=None):
        """The same of a function that a text defines."""
        module = {"np": np, "__name__": "fingerprinted"}
        exec(compile(text, "some/place.py", "exec"), module)  # pylint: disable=exec-used
        function = module[name]
        return fingerprint(function, name, Signature(function), None, options or {"fastmath": False})

    def test_what_counts(self):
        first = "K = 1\ndef g(x):\n    return x + K\ndef f(x: float):\n    return g(x)\n"
        texts = [first, first.replace("K = 1", "K = 2"), first.replace("K = 1", "K = 1.0"), first.replace("x + K", "x - K"),
                 first.replace("x: float", "x: int"), first.replace("x: float", "x: float = 1"), "\n" + first,
                 first.replace("K = 1", "K = np.ones(3)"), first.replace("K = 1", "K = np.ones(3, np.float32)"),
                 first.replace("K = 1", "K = (1, 2)"), first.replace("g(x)\n", "np.sin(g(x))\n"), first.replace("g(x)\n", "np.cos(g(x))\n")]
        found = [self.of(text) for text in texts] + [self.of(first, options={"fastmath": True})]
        self.assertEqual(len(set(found)), len(found))
        self.assertEqual(found[0], self.of(first))
        self.assertEqual(found[0], self.of("UNUSED = object()\n"[:-1] + ";" + first))

    def test_functions_that_call_one_another(self):
        text = "def g(x):\n    return f2(x)\ndef f2(x):\n    return g(x) if x else h(x)\ndef h(x):\n    return h(x - 1)\n" \
               "def f(x: float):\n    return f2(x)\n"
        self.assertEqual(self.of(text), self.of(text))
        self.assertNotEqual(self.of(text), self.of(text.replace("x - 1", "x - 2")))

    def test_unknown_values_have_none(self):
        for value in ("object()", "__import__('types')", "np.array([object()])", "{'a': 1}", "type('T', (), {})", "np.frompyfunc(abs, 1, 1)",
                      "[].append"):
            with self.subTest(value=value), self.assertRaises(Unknown):
                self.of(f"K = {value}\ndef f(x: float):\n    return K\n")


@unittest.skipIf(np is None or importlib.util.find_spec("numba") is None, "this Python lacks numpy or numba")
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.environ.get("TC_CACHE_DIR")
        self.addCleanup(lambda: os.environ.pop("TC_CACHE_DIR") if before is None else os.environ.update(TC_CACHE_DIR=before))
        os.environ["TC_CACHE_DIR"] = os.path.join(folder.name, "cache")
        self.path = os.path.join(folder.name, "cache", "python")

    def test_what_was_stored_is_found(self):
        self.assertIsNone(code_cache.find(KEY))
        code_cache.store(KEY, SLICES, ["none"])
        self.assertEqual(code_cache.find(KEY), (SLICES, ["none"]))
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o700)
        self.assertIsNone(code_cache.find(KEY[:32] + "f" * 32))  # of the same name; deleted, as one of the two is wrong
        self.assertEqual(os.listdir(self.path), [])

    def test_any_change_is_seen(self):
        data = code_cache.encoded(KEY, SLICES, ["none"])
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 1 << at % 8
            self.assertIsNone(code_cache.decoded(KEY, bytes(changed)))
        for size in range(len(data)):
            self.assertIsNone(code_cache.decoded(KEY, data[:size]))

    def test_sealed_nonsense_is_nothing_or_whole(self):
        """With a right checksum, as only this user can write it."""
        import hashlib
        draw = random.Random(1)
        data = code_cache.encoded(KEY, SLICES, ["none"])[:-32]
        begin = data.index(b"{")
        end = data.index(b"\n", begin)
        for _ in range(3000):
            changed = bytearray(data)
            for _ in range(draw.randint(1, 4)):
                changed[draw.randrange(begin, end)] = draw.choice(b'{}[]",:0123456789-ae')
            found = code_cache.decoded(KEY, bytes(changed) + hashlib.blake2b(changed, digest_size=32).digest())
            if found is not None:
                self.assertEqual(b"".join(code for _, code in found[0]), b"".join(code for _, code in SLICES))

    def test_links_are_not_followed(self):
        code_cache.store(KEY, SLICES, ["none"])
        name, = os.listdir(self.path)
        other = os.path.join(os.path.dirname(self.path), "other")
        os.rename(os.path.join(self.path, name), other)
        os.symlink(other, os.path.join(self.path, name))
        self.assertIsNone(code_cache.find(KEY))
        self.assertEqual((os.listdir(self.path), os.path.exists(other)), ([], True))

    def test_it_is_bounded(self):
        keys = [f"{number:032x}" * 2 for number in range(code_cache.FILES_MAX + 10)]
        for key in keys:
            code_cache.store(key, SLICES, ["none"])
            self.assertIsNotNone(code_cache.find(keys[0]))  # used, so it stays
        self.assertLessEqual(len(os.listdir(self.path)), code_cache.FILES_MAX)
        self.assertIsNotNone(code_cache.find(keys[-1]))
        self.assertIsNone(code_cache.find(keys[1]))
        code_cache.store(KEY, [("x86_64-unknown-linux-gnu", bytes(code_cache.FILE_BYTES_MAX))], ["none"])
        self.assertIsNone(code_cache.find(KEY))


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
