#!/usr/bin/env python3
"""tc-package as its users meet it: its output for folders, and its errors for wrong folders and packages.

    check_package.py TC_PACKAGE FUNCTIONS_FOLDER INCLUDE_FOLDER C_COMPILER [TC_CLANG]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from node_process import Node, clean_environment

PACKAGE = FUNCTIONS = INCLUDE = CC = CLANG = None
DEADLINE_S = 120
MAIN = "#include <stddef.h>\nvoid {0}_main(void *p, size_t n, void *t) {{ (void)p, (void)n, (void)t; }}\n"


class Folder(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)
        os.makedirs(os.path.join(self.place, "tmp"))

    def write(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run_tool(self, *arguments):
        return subprocess.run([PACKAGE, *arguments], cwd=self.place, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
                              env={**clean_environment(), "TMPDIR": os.path.join(self.place, "tmp")})

    def build(self, folder, *arguments, flags=()):
        clang = ["--clang", CLANG] if CLANG else []
        return self.run_tool("build", folder, "--cc", CC, *clang, *arguments, "--", f"-I{INCLUDE}", *flags)

    def refused(self, folder, text, *arguments):
        done = self.build(folder, *arguments)
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        self.assertIn(text, done.stderr)
        self.assertFalse([name for name in os.listdir(self.place) if name.endswith((".tcp", ".h"))])

    def tearDown(self):
        self.assertEqual(os.listdir(os.path.join(self.place, "tmp")), [])  # nothing is left behind


class Archives(Folder):
    """With existing archives: also without LLVM."""
    def manifest(self, *lines):
        self.write("bank/package.txt", "\n".join(lines) + "\n")

    def archive(self, name):
        return os.path.join(FUNCTIONS, f"{name}.tca")

    def test_archives_are_taken_as_they_are(self):
        self.manifest("package bank # of archives", "", f"function 300 transcript from {self.archive('transcript')}",
                      f"function 7 check from {self.archive('check')} takes struct thing *[]")
        done = self.build("bank", "--no-local", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = json.loads(done.stdout)
        self.assertEqual([(e["id"], e["name"], e["kind"]) for e in made["elements"]],
                         [(7, "check", "function"), (300, "transcript", "function")])
        self.assertEqual(made["bytes"], os.path.getsize(os.path.join(self.place, "bank.tcp")))
        listed = self.run_tool("list", "bank.tcp", "--json")
        self.assertEqual(json.loads(listed.stdout), made)
        self.assertIn("x86_64-linux", " ".join(made["elements"][0]["targets"]))
        with open(os.path.join(self.place, "bank.h"), encoding="utf-8") as file:
            header = file.read()
        self.assertIn("bank_id_transcript = 300", header)
        self.assertIn("const struct thing * *args, size_t count", header)

    def test_the_same_folder_gives_the_same_id(self):
        self.manifest(f"function 1 check from {self.archive('check')}")
        ids = {json.loads(self.build("bank", "--no-local", "--json", "--name", name).stdout)["id"] for name in ("one", "one", "two")}
        self.assertEqual(len(ids), 2)

    def test_manifests_that_are_wrong(self):
        check = f"from {self.archive('check')}"
        for line, text in (("function 1", "package.txt: line 2: expected 'function ID NAME'"), ("function 0 check", "1 to 65535"),
                           ("function 65536 check", "1 to 65535"), ("function x check", "found 'x check'"), ("call 1 check", "'call'"),
                           ("function 1 1check", "C identifier"), (f"function 1 check {check} or", "is one of 2 files"), (f"library 1 check {check}", "it is a function, expected a library"),
                           ("function 1 check from", "names no file"), ("function 1 check takes", "needs the name of a type"),
                           ("function 1 check takes int[3]", "'int[3]'"), ("include", "expected 'include HEADER'"),
                           ("package two words", "expected 'package NAME'"), ("package 2", "C identifier"),
                           ("library 1 l takes int", "unexpected word 'takes'"), ("function 1 check uses", "'uses' names no library"),
                           ("function 1 check uses 1x", "C identifier"), ("function 1 check takes int, x", "'int, x'"), ("# nothing", "no sources")):
            with self.subTest(line):
                self.manifest("package bank", line)
                self.refused("bank", text, "--no-local")

    def test_a_manifest_that_is_no_text(self):
        self.manifest(f"function 1 check from {self.archive('check')}", "\0function 2 transcript")
        self.refused("bank", "bank/package.txt: it has a byte 0, expected text", "--no-local")

    def test_what_links_point_to_is_left_alone(self):
        self.write("victim", "mine")
        for name in ("bank.tcp", "bank.h"):
            os.symlink("victim", os.path.join(self.place, name))
        self.manifest(f"function 1 check from {self.archive('check')}")
        self.assertEqual(self.build("bank", "--no-local").returncode, 0)
        with open(os.path.join(self.place, "victim"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_files_that_are_none(self):
        os.mkdir(os.path.join(self.place, "bank"))
        os.mkfifo(os.path.join(self.place, "bank", "x.tca"))
        self.manifest("function 1 other from x.tca")
        self.refused("bank", "bank/x.tca: not a regular file", "--no-local")
        os.remove(os.path.join(self.place, "bank", "x.tca"))
        with open(os.path.join(self.place, "bank", "x.tca"), "wb") as file:
            file.truncate(1 << 40)
        self.refused("bank", "bank/x.tca: 1099511627776 bytes, limit", "--no-local")
        os.mkfifo(os.path.join(self.place, "bank.tcp"))
        done = self.run_tool("list", "bank.tcp")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("bank.tcp: not a regular file", done.stderr)

    def test_two_of_one_id_or_name(self):
        check, transcript = f"from {self.archive('check')}", f"from {self.archive('transcript')}"
        self.manifest(f"function 5 check {check}", f"function 5 transcript {transcript}")
        self.refused("bank", "both have id 5", "--no-local")
        self.manifest(f"function 5 check {check}", f"function 6 check {check}")
        self.refused("bank", "ids 5 and 6 are both named 'check'", "--no-local")

    def test_archives_that_are_wrong(self):
        self.manifest(f"function 1 other from {self.archive('check')}")
        self.refused("bank", "it is that of 'check', expected 'other'", "--no-local")
        self.manifest("function 1 other from /nowhere/x.tca")
        self.refused("bank", "/nowhere/x.tca", "--no-local")
        self.write("bank/x.tca", "TCAnothing at all that would be an archive")
        self.manifest("function 1 other from x.tca")
        self.refused("bank", "bank/x.tca: archive: damaged", "--no-local")
        self.manifest(f"function 1 check from {self.archive('check')}")
        self.refused("bank", "it has no source: --no-local")
        self.refused("/nowhere/bank", "/nowhere/bank")

    def test_packages_that_are_wrong(self):
        self.manifest(f"function 1 check from {self.archive('check')}")
        self.assertEqual(self.build("bank", "--no-local").returncode, 0)
        with open(os.path.join(self.place, "bank.tcp"), "rb") as file:
            whole = file.read()
        for name, data, text in (("cut", whole[:-1], "cut short"), ("changed", whole[:40] + b"?" + whole[41:], "damaged"),
                                 ("archive", b"TCA" + whole[3:], "expected 'TCP'"), ("empty", b"", "0 bytes")):
            with open(os.path.join(self.place, name), "wb") as file:
                file.write(data)
            done = self.run_tool("list", name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"tc-package: {name}: package: ", done.stderr)
            self.assertIn(text, done.stderr)


class Nodes(Folder):
    """tc-node --package."""
    def tool(self, name):
        return os.path.join(os.path.dirname(PACKAGE), name)

    def send(self, node, archive, **environment):
        return subprocess.run([self.tool("tc-send"), node.address, archive, "--text", "x"], cwd=self.place, capture_output=True,
                              text=True, timeout=DEADLINE_S, check=False, env={**clean_environment(), **environment})

    def test_a_node_has_what_is_in_a_package(self):
        archive = os.path.join(FUNCTIONS, "transcript.tca")
        self.write("bank/package.txt", f"function 9 transcript from {archive}\n")
        self.assertEqual(self.build("bank", "--no-local").returncode, 0)
        log = os.path.join(self.place, "log")
        for arguments, received in (((), 1), (("--package", os.path.join(self.place, "bank.tcp")), 0)):
            with open(log, "w", encoding="utf-8") as file, Node(self.tool("tc-node"), output=file, arguments=arguments) as node:
                self.assertEqual(self.send(node, archive, TC_CODE_PUSH="no").returncode, 0)
            with open(log, encoding="utf-8") as file:
                self.assertIn(f"1 messages run, 0 dropped, {received} functions received", file.read())

    def test_a_node_runs_functions_of_its_own(self):
        if not CLANG:
            self.skipTest("no tc-clang")
        self.write("bank/say.c", """#include <stdio.h>
#include <tc/entry.h>
#ifdef TC_PACKAGE_LOCAL
#define WHO "the node's own"
#else
#define WHO "what was sent"
#endif
void say_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
    puts(WHO);
    fflush(stdout);
}
""")
        self.assertEqual(self.build("bank").returncode, 0)
        done = subprocess.run([CLANG, "bank/say.c", f"-I{INCLUDE}", "-o", "say.tca"], cwd=self.place, timeout=DEADLINE_S, check=True)
        output = os.path.join(self.place, "output")
        for arguments, said in (((), "what was sent\n"), (("--package", os.path.join(self.place, "libbank-local.so")), "the node's own\n"),
                                (("--isolate", "--package", os.path.join(self.place, "libbank-local.so")), "the node's own\n")):
            with open(output, "w", encoding="utf-8") as file, Node(self.tool("tc-node"), output=file, arguments=arguments) as node:
                done = self.send(node, "say.tca")
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(output, encoding="utf-8") as file:
                self.assertTrue(file.read().startswith(said), arguments)

    def test_a_package_is_brought_to_a_node_and_taken_away(self):
        if not CLANG:
            self.skipTest("no tc-clang")
        self.write("shop/lib_stock.c", "long stock;\nlong stock_take(void);\nlong stock_take(void) { return ++stock; }\n")
        self.write("shop/sell.c", "extern long stock_take(void);\n#include <tc/entry.h>\n"
                   "void sell_main(void *p, size_t n, void *t)\n{\n    (void)p, (void)n, (void)t;\n"
                   "    char answer = (char)('0' + stock_take());\n    (void)tc_reply(&answer, 1);\n}\n")
        self.assertEqual(self.build("shop", "--no-local").returncode, 0)
        with Node(self.tool("tc-node")) as node:
            def send(*arguments, status=0):
                done = subprocess.run([self.tool("tc-send"), node.address, *arguments], cwd=self.place, capture_output=True, text=True,
                                      timeout=DEADLINE_S, check=False, env=clean_environment())
                self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
                return done.stdout + done.stderr
            call = ("shop.tcp", "--function", "sell", "--call")
            self.assertIn("stock", send(*call, status=4))
            self.assertIn("the target has package 'shop' after", send("shop.tcp", "--push"))
            self.assertEqual([send(*call), send(*call, "--count", "2")], ["1", "23"])
            for _ in range(8):  # no line but this one: nothing is under way when the tool closes
                again = json.loads(send("shop.tcp", "--push", "--json"))
                self.assertEqual((again["package"], again["libraries"], again["functions"]), ("shop", 1, 1))
            self.assertEqual(send(*call), "4")  # the former library has stayed in force
            self.assertIn("package 'shop': libraries are withdrawn", send("shop.tcp", "--withdraw"))
            self.assertIn("stock", send(*call, status=4))
            self.assertIn("has no function 'buy'", send("shop.tcp", "--function", "buy", status=1))
            self.assertIn("expected --function or --push", send("shop.tcp", status=2))
            self.assertIn("--function is for a package", send("sell.tca", "--function", "sell", status=2))
            self.assertIn("at most", send("shop.tcp", "--push", "--call", status=2))
            self.assertIn("is a function, expected a library", send(os.path.join(FUNCTIONS, "check.tca"), "--push", status=1))

    def test_a_node_has_the_libraries_of_a_package(self):
        if not CLANG:
            self.skipTest("no tc-clang")
        self.write("shop/lib_stock.c", "int stock;\nint stock_take(void);\nint stock_take(void) { return ++stock; }\n")
        self.write("shop/sell.c", "extern int stock_take(void);\n#include <stdio.h>\n#include <stddef.h>\n"
                   "void sell_main(void *p, size_t n, void *t)\n{\n    (void)p, (void)n, (void)t;\n"
                   '    printf("%d\\n", stock_take());\n    fflush(stdout);\n}\n')
        self.refused("shop", "element 'stock', as a library that travels would be there twice: --no-local", "--local", "shop.so")
        done = self.build("shop", "--json")
        self.assertIn("note: no local library is made, as element 'stock' is a library that travels", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.place, "libshop-local.so")))
        self.assertEqual(self.build("shop", "--quiet").stderr, "")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(e["id"], e["kind"], e["name"]) for e in json.loads(done.stdout)["elements"]],
                         [(1, "library", "stock"), (2, "function", "sell")])
        subprocess.run([CLANG, "shop/sell.c", "--uses=stock", f"-I{INCLUDE}", "-o", "sell.tca"], cwd=self.place, timeout=DEADLINE_S,
                       check=True)
        with Node(self.tool("tc-node")) as node:
            refused = self.send(node, "sell.tca")
            self.assertEqual(refused.returncode, 4)
            self.assertIn("stock", refused.stderr)
        output = os.path.join(self.place, "output")
        with open(output, "w", encoding="utf-8") as file, \
                Node(self.tool("tc-node"), output=file, arguments=("--package", os.path.join(self.place, "shop.tcp"))) as node:
            for _ in range(2):
                done = self.send(node, "sell.tca")
                self.assertEqual(done.returncode, 0, done.stderr)
        with open(output, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("1\n2\n"))

    def test_packages_that_are_wrong(self):
        self.write("empty.tcp", "")
        for arguments, text in ((("empty.tcp",), "--package: empty.tcp: package: 0 bytes"), (("/nowhere/x.so",), "/nowhere/x.so"),
                                (("/nowhere/x.tcp",), "/nowhere/x.tcp"), (["/nowhere/x"] * 17, "more than 16 packages")):
            words = [word for path in arguments for word in ("--package", path)]
            done = subprocess.run([self.tool("tc-node"), "--listen", "127.0.0.1:0", *words], cwd=self.place, capture_output=True,
                                  text=True, timeout=DEADLINE_S, check=False, env=clean_environment())
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stderr)


class Sources(Folder):
    def setUp(self):
        if not CLANG:
            self.skipTest("no tc-clang")
        super().setUp()

    def test_sources_by_their_names(self):
        self.write("shop/sell.c", MAIN.format("sell"))
        self.write("shop/buy.c", '#include "stock.h"\n' + MAIN.format("buy"))
        self.write("shop/stock.h", "/* nothing */\n")
        done = self.build("shop", "--rules", "shop.d", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(e["id"], e["name"]) for e in json.loads(done.stdout)["elements"]], [(1, "buy"), (2, "sell")])
        self.assertTrue(os.path.exists(os.path.join(self.place, "libshop-local.so")))
        with open(os.path.join(self.place, "shop.d"), encoding="utf-8") as file:
            rules = file.read()
        self.assertIn("shop/stock.h", rules)
        self.assertIn("shop/sell.c", rules)
        self.assertEqual({line.split(":")[0] for line in rules.splitlines() if ":" in line}, {"shop.tcp"})
        for compiler, source in (("cc", "use.c"), ("c++", "use.cpp")):
            if shutil.which(compiler):
                self.write(source, '#include "shop.h"\nint main(void) { return shop_id_sell == 2 ? 0 : 1; }\n')
                subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", "-c", source], cwd=self.place, check=True,
                               timeout=DEADLINE_S)

    def test_compilers_that_fail(self):
        self.write("shop/sell.c", "void sell_main(int) { oops }\n")
        self.refused("shop", "failed with exit status")
        self.write("shop/sell.c", "int helper;\n" + MAIN.format("sell"))
        self.refused("shop", "no program '/nowhere/cc'; --cc=PROGRAM names it", "--cc", "/nowhere/cc")
        self.write("shop/buy.c", "int helper(void);\nint helper(void) { return 1; }\n" + MAIN.format("buy"))
        self.refused("shop", "helper")  # one library of both
        self.refused("shop", "no program '/nowhere/clang'; --clang=PROGRAM names it", "--clang", "/nowhere/clang")


if __name__ == "__main__":
    PACKAGE, FUNCTIONS, INCLUDE, CC = (os.path.abspath(path) if os.path.exists(path) else path for path in sys.argv[1:5])
    CLANG = sys.argv[5] if len(sys.argv) > 5 else None
    unittest.main(argv=sys.argv[:1])
