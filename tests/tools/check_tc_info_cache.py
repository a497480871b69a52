#!/usr/bin/env python3
"""tc-info --cache as a user meets it, on files written here as docs/object-cache.md describes them.

    check_tc_info_cache.py TC_INFO
"""
import hashlib
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

from node_process import clean_environment

TC_INFO = None


def blake2b(size, data):
    return hashlib.blake2b(data, digest_size=size).digest()


class Entry:
    def __init__(self, name, number=1, level=0, cpu="skylake", features="+avx2,-avx512f", llvm="19.1.7", size=1000):
        self.id = struct.pack("<16s", number.to_bytes(2, "little"))
        self.fixed = self.id + struct.pack("<III", level, 0, 2)
        self.key_texts = [text.encode() for text in (cpu, features, llvm)]
        self.texts = self.key_texts + [name.encode()]
        self.object = bytes(i % 251 for i in range(size))

    def file_name(self):
        return blake2b(16, self.fixed + b"".join(blake2b(16, text) for text in self.key_texts)).hex() + ".tco"

    def encode(self):
        texts = b"".join(text + b"\0" for text in self.texts)
        texts += bytes(-(64 + len(texts)) % 16)
        head = b"TCOBJECT" + struct.pack("<IIQ", 1, 64 + len(texts), len(self.object)) + self.fixed
        head += struct.pack("<HHHHI", *map(len, self.texts), 0)
        whole = head + texts + self.object
        return whole + blake2b(32, whole)


class TcInfoCache(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.home = holder.name
        self.folder = os.path.join(self.home, "cache")

    def run_info(self, *arguments, **environment):
        env = {**clean_environment(), "HOME": self.home, "TC_CACHE_DIR": self.folder, **environment}
        env = {name: value for name, value in env.items() if value is not None}
        return subprocess.run([TC_INFO, "--cache", *arguments], env=env, capture_output=True, text=True, timeout=60,
                              check=False)

    def json_of(self, *arguments, **environment):
        done = self.run_info("--json", *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def write(self, name, data, used=None):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        if used is not None:
            os.utime(path, (used, used))
        return path

    def write_entry(self, entry, used=None):
        return self.write(entry.file_name(), entry.encode(), used)

    def test_a_folder_that_does_not_exist_stays_so(self):
        self.assertEqual(self.json_of(), {"functions": [], "folder": self.folder, "count": 0, "bytes": 0,
                                          "limit": 256 << 20, "others": 0})
        self.assertIn("0 functions", self.run_info().stdout)
        self.assertEqual(self.run_info("--clear").returncode, 0)
        self.assertFalse(os.path.exists(self.folder))

    def test_without_a_cache(self):
        self.assertEqual(self.json_of(TC_CACHE_DIR="")["folder"], "")
        self.assertIn("no cache", self.run_info(TC_CACHE_DIR="").stdout)
        self.assertIn("no cache", self.run_info("--clear", TC_CACHE_DIR="").stdout)
        nowhere = {"TC_CACHE_DIR": None, "HOME": "relative", "XDG_CACHE_HOME": None}
        self.assertEqual(self.json_of(**nowhere)["folder"], "")

    def test_where_it_is_by_default(self):
        xdg = os.path.join(self.home, "xdg")
        self.assertEqual(self.json_of(TC_CACHE_DIR=None, XDG_CACHE_HOME=None)["folder"], self.home + "/.cache/tchains")
        self.assertEqual(self.json_of(TC_CACHE_DIR="auto", XDG_CACHE_HOME=xdg)["folder"], xdg + "/tchains")
        self.assertEqual(self.json_of(TC_CACHE_DIR=None, XDG_CACHE_HOME="relative")["folder"],
                         self.home + "/.cache/tchains")
        self.assertEqual(os.listdir(self.home), [])

    def test_what_is_in_it(self):
        older, newer = Entry("count", 1, level=1), Entry("sum", 2, cpu="znver4", llvm="22.1.0", size=5000)
        self.write_entry(newer, used=1700000000)
        self.write_entry(older, used=1600000000)
        listing = self.json_of()
        sizes = [len(newer.encode()), len(older.encode())]
        self.assertEqual(listing["functions"], [
            {"name": "sum", "id": newer.id.hex(), "level": "quick", "cpu": "znver4", "features": "+avx2,-avx512f",
             "llvm": "22.1.0", "slice": 0, "bytes": sizes[0], "used": 1700000000},
            {"name": "count", "id": older.id.hex(), "level": "best", "cpu": "skylake", "features": "+avx2,-avx512f",
             "llvm": "19.1.7", "slice": 0, "bytes": sizes[1], "used": 1600000000}])
        self.assertEqual((listing["count"], listing["bytes"], listing["others"]), (2, sum(sizes), 0))
        self.assertEqual(self.json_of(TC_CACHE_MAX="1M")["limit"], 1 << 20)
        lines = self.run_info(TZ="UTC").stdout.splitlines()
        self.assertRegex(lines[1], rf"^sum +quick +{sizes[0]} +2023-11-14 22:13 +22.1.0 +znver4 +{newer.id.hex()}$")
        self.assertRegex(lines[2], rf"^count +best +{sizes[1]} +2020-09-13 12:26 ")
        self.assertIn(f"2 functions, {sum(sizes)} bytes", lines[-1])

    def test_what_is_no_entry(self):
        good, flipped, moved = Entry("count"), Entry("sum", 2), Entry("other", 3)
        self.write_entry(good)
        data = bytearray(flipped.encode())
        data[500] ^= 4
        kept = [self.write(flipped.file_name(), data), self.write("0" * 32 + ".tco", moved.encode()),
                self.write("1" * 32 + ".tmp", b"begun")]
        os.mkfifo(os.path.join(self.folder, "2" * 32 + ".tco"))
        mine = self.write("notes.txt", b"mine")
        listing = self.json_of()
        self.assertEqual([row["name"] for row in listing["functions"]], ["count"])
        self.assertEqual(listing["others"], 4)
        self.assertIn("4 files are damaged", self.run_info().stdout)
        for path in kept + [mine]:
            self.assertTrue(os.path.exists(path), path)

    def test_a_name_that_is_none(self):
        self.write_entry(Entry('bad"\\\x1b[31m\né'))
        self.assertEqual(self.json_of()["functions"][0]["name"], 'bad"\\?[31m???')
        self.assertNotIn("\x1b", self.run_info().stdout)

    def test_clearing(self):
        sizes = []
        for number in range(5):
            sizes.append(os.path.getsize(self.write_entry(Entry(f"f{number}", number, size=100 + number))))
        self.write("1" * 32 + ".tmp", b"begun")
        self.write("notes.txt", b"mine")
        self.assertEqual(self.json_of("--clear"), {"folder": self.folder, "removed": 5, "bytes": sum(sizes) + 5})
        self.assertEqual(os.listdir(self.folder), ["notes.txt"])
        self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)
        self.write_entry(Entry("again"))
        self.assertIn("removed 1 functions", self.run_info("--clear").stdout)
        self.assertEqual(self.json_of()["count"], 0)

    def test_a_folder_that_is_open_to_others(self):
        path = self.write_entry(Entry("count"))
        for mode in (0o755, 0o770, 0o701):
            os.chmod(self.folder, mode)
            for arguments in ([], ["--clear"], ["--json"]):
                done = self.run_info(*arguments)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(f"mode {mode:04o}, expected 0700", done.stderr)
        self.assertTrue(os.path.exists(path))

    def test_a_folder_that_is_a_link(self):
        self.write_entry(Entry("count"))
        link = os.path.join(self.home, "link")
        os.symlink(self.folder, link)
        for path in (link, link + "/"):
            done = self.run_info(TC_CACHE_DIR=path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("symbolic link", done.stderr)

    def test_wrong_arguments(self):
        for arguments in (["--options"], ["--connect", "127.0.0.1:1"], ["--markdown"], ["extra"]):
            self.assertEqual(self.run_info(*arguments).returncode, 2, arguments)
        done = subprocess.run([TC_INFO, "--clear"], env=clean_environment(), capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    TC_INFO = sys.argv.pop(1)
    unittest.main()
