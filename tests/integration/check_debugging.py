#!/usr/bin/env python3
"""Shipped code in gdb, in perf and in a crash: docs/debugging.md, executed.

    check_debugging.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]

Where gdb or perf are missing or may not do their work, their tests are skipped with the reason.
"""
import os
import re
import shutil
import signal
import subprocess
import unittest

from tool_process import Process, ToolTest, main, wait_until

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "scripts", "gdb", "tchains.py")
INCLUDE = os.path.join(ROOT, "include")

# The parts of a transcript's line that differ from run to run: as written there, and as matched.
VARIABLE = [(r"0x[0-9a-f]+", r"0x[0-9a-f]+"), (r"\b[0-9a-f]{32}\b", r"[0-9a-f]{32}"), (r"127\.0\.0\.1:\d+", r"127\.0\.0\.1:\d+"),
            (r"process \d+", r"process \d+"), (r"tid \d+", r"tid \d+"), (r"[\d.]+%", r"[\d.]+%"), (r"endpoint \d+", r"endpoint \d+"),
            (r"^#\d+", r"#\d+"), (r"\.\.\.", r".*"), (r"\s+", r"\s+")]


def pattern_of(line):
    parts = re.split("(" + "|".join(written for written, _ in VARIABLE) + ")", line.strip())
    matched = (next((pattern for written, pattern in VARIABLE if re.fullmatch(written, part)), re.escape(part)) for part in parts)
    return "".join(matched)


class Document:
    def __init__(self):
        with open(os.path.join(ROOT, "docs", "debugging.md"), encoding="utf-8") as file:
            text = file.read()
        named = re.findall(r"^`(\w+\.c)`:\n\n```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.sources = dict(named)
        self.transcripts = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)

    def transcript(self, word):
        """The block that has the word, as lines."""
        return next(block for block in self.transcripts if word in block).splitlines()


def environment_of(line):
    return dict(re.findall(r"\b(TC_\w+)=(\w+)", line))


def run(command, folder=None):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60, check=False)


class DocumentTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.document = Document()

    def setUp(self):
        self.work = self.folder()

    def compile(self, transcript):
        """The archive that the block's line with tc-clang makes."""
        words = next(line for line in transcript if line.startswith("$ tc-clang")).split()[2:]
        source = next(word for word in words if word.endswith(".c"))
        with open(os.path.join(self.work, source), "w", encoding="utf-8") as file:
            file.write(self.document.sources[source])
        words = ["-I" + INCLUDE if word == "-Iinclude" else word for word in words]
        done = run([self.tool("tc-clang"), *words], self.work)
        self.assertEqual(done.returncode, 0, done.stdout)
        return os.path.join(self.work, words[-1])

    def expect_lines(self, expected, found):
        """All of them, in that order, with others between."""
        lines = iter(found.splitlines())
        for line in filter(str.strip, expected):
            pattern = pattern_of(line)
            self.assertTrue(any(re.search(pattern, candidate.strip()) for candidate in lines),
                            f"not there, or not in this order: {line}\n{pattern}\n{found}")


class GdbTest(DocumentTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gdb = shutil.which("gdb")
        if cls.gdb is None:
            raise unittest.SkipTest("gdb is missing (scripts/install-deps.sh --tests)")
        done = run([cls.gdb, "-nx", "-q", "-batch", "-ex", "run", "/bin/true"])
        if "exited normally" not in done.stdout:
            raise unittest.SkipTest(f"gdb may not debug here: {done.stdout.strip()}")


class Debugger(GdbTest):
    def gdb_node(self, commands, archive, **environment):
        """Returns gdb's output: a node runs in it, to which a function is sent."""
        port_file = os.path.join(self.work, "port")
        script = os.path.join(self.work, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("\n".join(["set debuginfod enabled off", "set width 0", "set confirm off", *commands]) + "\n")
        gdb = Process(self, [self.gdb, "-nx", "-q", "-batch", "-x", script, "--args", self.tool("tc-node"), "--listen",
                             "127.0.0.1:0", "--port-file", port_file], **environment)
        wait_until(lambda: os.path.exists(port_file) or not gdb.running(), "a port")
        self.assertTrue(os.path.exists(port_file), gdb.out + gdb.err)
        with open(port_file, encoding="ascii") as file:
            sender = self.send(f"127.0.0.1:{int(file.read())}", archive, "--text", "ccccaaaabbbb")
        gdb.wait()
        sender.end()
        return gdb.out + gdb.err

    def test_gdb_shows_lines_arguments_and_callers(self):
        transcript = self.document.transcript("(gdb)")
        commands = [line[len("(gdb) "):] for line in transcript if line.startswith("(gdb) ")]
        expected = [line for line in transcript if not line.startswith(("(gdb)", "$"))]
        environment = environment_of(next(line for line in transcript if "gdb -q" in line))
        found = self.gdb_node(commands, self.compile(transcript), **environment)
        self.expect_lines(expected, found)

    def test_gdb_knows_names_and_callers_without_debug_information(self):
        archive = self.compile(["$ tc-clang -Iinclude middle.c -o middle.tca"])
        commands = ["set breakpoint pending on", "break middle_main", "run", "break qsort", "continue", "backtrace", "kill"]
        found = self.gdb_node(commands, archive, TC_DEBUG_CODE="yes")
        self.expect_lines(["hit Breakpoint 1, 0x1 in middle_main ()", "#1 0x1 in middle_main ()", "tc_wait (", "main ("],
                          found.replace("printf (", "printf ("))


class DebuggerTasks(GdbTest):
    """gdb's commands about functions that wait: scripts/gdb/tchains.py."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = run([cls.gdb, "-nx", "-q", "-batch", "-ex", "python print(6 * 7)"])
        if "42" not in done.stdout:
            raise unittest.SkipTest(f"gdb has no Python: {done.stdout.strip()}")

    def dozing_node(self, debug=True, **environment):
        """A node in which two messages wait, and their senders."""
        transcript = self.document.transcript("(gdb) tc tasks")
        lines = [line if debug else line.replace(" -g", "") for line in transcript]
        archive = self.compile(lines)
        if debug:
            environment.update(environment_of(next(line for line in transcript if "tc-node" in line)))
        node, senders = self.node(**environment), []
        for who in ("anna", "bert"):
            senders.append(self.send(node.address, archive, "--call", "--timeout", "600", "--text", who))
            node.wait_for_line(f"{who} sleeps")
        return node, senders

    def commands(self, commands, *target, script=True):
        """Returns gdb's output of these commands about a process or a core."""
        safe = f"add-auto-load-safe-path {os.path.dirname(self.tools)}"
        words = [word for command in [*([f"source {SCRIPT}"] if script else []), *commands] for word in ("-ex", command)]
        return run([self.gdb, "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex", safe, "-iex", "set width 0",
                    "-iex", "set confirm off", *target, *words]).stdout

    # The stack that functions share, the thread's registers, and gdb's settings: before and after, in one line.
    STATE = ("python print('state', hash((read(next(owners()).top - 65536, 65536), gdb.execute('info registers', to_string=True), "
             "gdb.execute('info files', to_string=True).count(' is '), gdb.parameter('trust-readonly-sections'), "
             "gdb.parameter('confirm'), gdb.selected_frame().level())))")

    def expect_transcript(self, found):
        expected = [line for line in self.document.transcript("(gdb) tc tasks") if not line.startswith(("(gdb)", "$"))]
        self.expect_lines(expected, found)

    def test_gdb_shows_functions_that_wait_in_a_process_and_in_its_core(self):
        commands = [line[len("(gdb) "):] for line in self.document.transcript("(gdb) tc tasks") if line.startswith("(gdb) ")]
        core = os.path.join(self.work, "core")
        node, senders = self.dozing_node()
        # With the script that gdb loads by itself.
        commands.append("tc task 2 frame function doze")
        found = self.commands(["up", self.STATE, *commands, self.STATE, f"generate-core-file {core}"], "-p", str(node.pid),
                              script=False)
        self.expect_transcript(found)
        states = re.findall(r"^state .*", found, re.MULTILINE)
        self.assertEqual(len(states), 2, found)
        self.assertEqual(states[0], states[1])
        self.assertEqual((node.running(), [sender.running() for sender in senders]), (True, [True, True]), node.err)
        node.kill()
        found = self.commands([self.STATE, *commands, self.STATE], self.tool("tc-node"), core)
        self.assertRegex(found, r"sleeps until [\d.]+ s of CLOCK_MONOTONIC")
        self.expect_transcript(re.sub(r"sleeps until ([\d.]+ s) of CLOCK_MONOTONIC", r"sleeps, \1 left", found))
        self.assertEqual(len(set(re.findall(r"^state .*", found, re.MULTILINE))), 1, found)

    def test_gdb_needs_no_symbols_of_the_library_and_no_tables_of_the_function(self):
        strip = shutil.which("strip")
        if strip is None:
            self.skipTest("strip is missing")
        library = os.path.join(os.path.dirname(self.tools), "lib", "libtchains.so.1")
        done = run([strip, "-o", os.path.join(self.work, "libtchains.so.1"), library])
        self.assertEqual(done.returncode, 0, done.stdout)
        node, _ = self.dozing_node(debug=False, TC_FORM="image", LD_LIBRARY_PATH=self.work)
        found = self.commands(["info sharedlibrary", "tc tasks", "tc task 1"], "-p", str(node.pid))
        self.assertIn(os.path.join(self.work, "libtchains.so.1"), found)
        self.expect_lines(["1 'dozer' from 127.0.0.1:1, process 1, ...; sleeps", "2 'dozer' from", "Task 1:", "in ?? () of 'dozer'",
                           "0x1 in ... () from ...libtchains.so.1", "of these are guesses, behind code without unwind tables"], found)

    def test_gdb_ends_at_damaged_records(self):
        """In a process that dies with gdb: the records are damaged there."""
        node, _ = self.dozing_node(debug=False, TC_FORM="image")
        write = "python gdb.selected_inferior().write_memory({}, ({}).to_bytes(8, 'little'))"
        found = self.commands([
            "python first = next(all_tasks()); layout = first.layout",
            write.format("first.address + layout.task_sp", "first.sp + (1 << 21)"), "tc task 1",
            write.format("first.address + layout.task_sp", "first.owner.top - 8"), "tc task 1",
            write.format("first.address + layout.task_sp", "first.sp"),
            write.format("first.address + layout.task_kept", "8"), "tc task 1",
            write.format("first.address + layout.task_fn", "16"), "tc tasks",
            write.format("first.address + layout.task_of_ep", "first.address"), "tc tasks",
            write.format("first.ep + layout.ep_next", "first.ep"), write.format("first.ep + layout.ep_tasks", "0"), "tc tasks",
            write.format("first.owner.core + layout.core_first", "1"), "tc tasks",
            "tc task 0", "kill"], "-p", str(node.pid))
        self.expect_lines(["damaged: the record has stack pointer", "damaged: 8 bytes of stack, expected at least",
                           "cannot be read", "record at 0x1: damaged:", "has a cycle at 0x1", "the list of endpoints has a cycle at 0x1",
                           "damaged: 8 bytes at 0x1 cannot be read", "the number is that of tc tasks"], found)


class Profiler(DocumentTest):
    def map_of(self, node):
        """The perf map of a process: [(begin, end, name)]."""
        path = f"/tmp/perf-{node.pid}.map"
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(" ", 2) for line in file]
        return [(int(begin, 16), int(begin, 16) + int(size, 16), name) for begin, size, name in rows]

    def executable_ranges(self, node):
        with open(f"/proc/{node.pid}/maps", encoding="utf-8") as file:
            found = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) r-x", file.read(), re.MULTILINE)
        return [(int(begin, 16), int(end, 16)) for begin, end in found]

    def check_map(self, form, names):
        """The function prints its own address, and the map has its name there."""
        source = os.path.join(self.work, "place.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('#include <stdio.h>\n#include <tc/entry.h>\n'
                       '__attribute__((noinline)) static void say(const void *at)\n{\n    printf("%p\\n", at);\n    fflush(stdout);\n}\n'
                       'void place_main(void *payload, size_t size, void *args)\n'
                       '{\n    (void)payload, (void)size, (void)args;\n    say((const void *)place_main);\n    say((const void *)say);\n}\n')
        archive = os.path.join(self.work, "place.tca")
        done = run([self.tool("tc-clang"), "-g", "-I" + INCLUDE, source, "-o", archive])
        self.assertEqual(done.returncode, 0, done.stdout)
        node = self.node(TC_PERF_MAP="yes", TC_FORM=form)
        self.send(node.address, archive).expect(0)
        said = [int(text, 16) for text in re.findall(r"^0x[0-9a-f]+$", node.out, re.MULTILINE)]
        rows, ranges = self.map_of(node), self.executable_ranges(node)
        self.assertEqual(len(said), 2, node.out)
        for address, name in zip(said, names):
            found = [row for row in rows if row[0] <= address < row[1]]
            self.assertEqual([row[2] for row in found], [name], rows)
            self.assertTrue(any(begin <= found[0][0] and found[0][1] <= end for begin, end in ranges), (rows, ranges))
        self.assertEqual(min(row[0] for row in rows if row[2] == "place_main"), said[0])
        node.stop()

    def test_the_map_has_the_names_of_compiled_code(self):
        self.check_map("bitcode", ["place_main", "place:say"])

    def test_the_map_has_the_names_of_images(self):
        self.check_map("image", ["place_main", "place_main"])

    def test_there_is_no_map_without_the_option(self):
        node = self.node()
        self.assertFalse(os.path.exists(f"/tmp/perf-{node.pid}.map"))
        node.stop()

    def perf_report(self, archive, **environment):
        perf = shutil.which("perf")
        if perf is None:
            self.skipTest("perf is missing (scripts/install-deps.sh --tests)")
        data = os.path.join(self.work, "perf.data")
        node = self.node(**environment)
        sender = self.send(node.address, archive, "--count", "1000")
        wait_until(lambda: os.path.exists(f"/tmp/perf-{node.pid}.map") and len(self.map_of(node)) > 0, "a name in the perf map")
        done = run([perf, "record", "-q", "-N", "-B", "-e", "cpu-clock", "-o", data, "-p", str(node.pid), "--", "sleep", "0.3"])
        sender.end()
        node.kill()
        if done.returncode != 0:
            self.skipTest(f"perf may not record here: {done.stdout.strip()}")
        report = run([perf, "report", "--stdio", "-i", data])
        if "cpu-clock" not in report.stdout:
            self.skipTest(f"perf recorded nothing here: {report.stdout.strip()}")
        return report.stdout

    def test_perf_reports_names_of_compiled_code(self):
        transcript = self.document.transcript("perf report")
        environment = environment_of(next(line for line in transcript if "tc-node" in line))
        found = self.perf_report(self.compile(transcript), **environment)
        self.expect_lines([line for line in transcript if not line.startswith("$")], found)

    def test_perf_reports_names_of_images(self):
        archive = self.compile(self.document.transcript("perf report"))
        found = self.perf_report(archive, TC_PERF_MAP="yes", TC_FORM="image")
        self.assertRegex(found, r"\[JIT\] tid \d+\s+\[\.\] mixer_main")


class Crashes(DocumentTest):
    def crash(self, archive, number, *arguments, **environment):
        """Returns the node's output before it dies of that signal."""
        node = self.node(**environment)
        sender = self.send(node.address, archive, "--timeout", "30", *arguments)
        self.assertEqual(node.wait(), -number, node.err)
        self.assertNotEqual(sender.wait(), 0)
        return node.err, sender.pid

    def compile_text(self, name, body):
        source = os.path.join(self.work, name + ".c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"#include <stdlib.h>\n#include <tc/entry.h>\nvoid {name}_main(void *payload, size_t size, void *args)\n"
                       f"{{\n    (void)payload, (void)size, (void)args;\n{body}\n}}\n")
        archive = os.path.join(self.work, name + ".tca")
        done = run([self.tool("tc-clang"), "-I" + INCLUDE, source, "-o", archive])
        self.assertEqual(done.returncode, 0, done.stdout)
        return archive

    def id_of(self, archive):
        return re.search(r"^id\s+([0-9a-f]{32})$", run([self.tool("tc-ar"), "show", archive]).stdout, re.MULTILINE).group(1)

    def test_a_crash_names_the_function_and_the_peer(self):
        transcript = self.document.transcript("SIGSEGV")
        archive = self.compile(transcript)
        for form in ("image", "bitcode"):
            said, sender = self.crash(archive, signal.SIGSEGV, TC_FORM=form)
            self.expect_lines([transcript[-1]], said)
            self.assertRegex(said, rf"SIGSEGV in wild_main\+0x\w+ of {self.id_of(archive)}; running: function 'wild' "
                                   rf"{self.id_of(archive)} from 127\.0\.0\.1:\d+, process {sender}\n")

    def test_a_crash_of_a_function_that_may_wait_names_it_too(self):
        """Before it has waited, and behind a wait; below it, too."""
        for name, wait, last, line in (("rash", "", "*(volatile int *)8 = 1;", r"SIGSEGV in rash[_:]\w+\+0x\w+ of "),
                                       ("late", "(void)!tc_task_sleep(1000000);", "*(volatile int *)8 = 1;",
                                        r"SIGSEGV in late[_:]\w+\+0x\w+ of "),
                                       ("gone", "(void)!tc_task_sleep(1000000);", "abort();", r"SIGABRT")):
            source = os.path.join(self.work, name + ".c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(f"#include <stdlib.h>\n#include <tc/entry.h>\n#include <tc/task.h>\n"
                           f"TC_THREADED({name})(void *payload, size_t size, void *args)\n"
                           f"{{\n    (void)payload, (void)size, (void)args;\n    {wait}\n    {last}\n}}\n")
            archive = os.path.join(self.work, name + ".tca")
            done = run([self.tool("tc-clang"), "-I" + INCLUDE, source, "-o", archive])
            self.assertEqual(done.returncode, 0, done.stdout)
            for form in ("image", "bitcode"):
                said, sender = self.crash(archive, signal.SIGSEGV if "SEGV" in line else signal.SIGABRT, "--call", TC_FORM=form)
                self.assertRegex(said, rf"tc-node: {line}.*; running: function '{name}' {self.id_of(archive)} from 127\.0\.0\.1:\d+, "
                                       rf"process {sender}\n")

    def test_a_crash_below_the_function_names_it_too(self):
        said, _ = self.crash(self.compile_text("quits", "    abort();"), signal.SIGABRT)
        self.assertRegex(said, r"tc-node: SIGABRT; running: function 'quits' [0-9a-f]{32} from ")

    def test_a_full_stack_still_has_its_line(self):
        archive = self.compile_text("deep", "    volatile char room[4096];\n    room[0] = (char)size;\n"
                                            "    if (size < 1u << 30)\n        deep_main((void *)room, size + 1, args);\n    room[1] = 0;")
        said, _ = self.crash(archive, signal.SIGSEGV)
        self.assertRegex(said, r"tc-node: SIGSEGV in deep_main\+0x[0-9a-f]+ of ")


if __name__ == "__main__":
    main()
