"""Commands of gdb that show the functions that wait (tc/task.h): tc tasks, and tc task NUMBER [COMMAND].

Functions of a context wait with the bytes of their frames kept elsewhere, while others use the stack's addresses. So a waiting
function's frames are nowhere that gdb looks. `tc task` makes them visible for one command, and writes nothing to the process or
core:

  registers   A Python unwinder claims the thread's newest frame; its caller is then the waiting function, with the registers
              that it pushed when it left the stack.
  memory      A small ELF file with the kept bytes as a read-only section at the stack's addresses is added as a symbol file.
              With trust-readonly-sections gdb reads that section from the file. All is undone behind the command.

Shipped code without unwind tables (no TC_DEBUG_CODE) is in no file. There the unwinder looks for the next return address
further up: a word that is behind an instruction that calls. Such frames are marked as guesses.

The library describes its records in the section `tchains_tasks` (runtime/modules/tasks/task_layout.h), so that neither debug
information nor symbols are needed. Nothing that is read is trusted: each list has a bound and may have no member twice.
"""
import itertools
import os
import re
import shutil
import struct
import tempfile
import time

import gdb
from gdb.unwinder import Unwinder, register_unwinder

SECTION = "tchains_tasks"
VERSION = 1
GUARDS_MAX = TASKS_MAX = 1 << 20
VALUE_MAX = 1 << 20  # in the library's table
SHOWN = 100  # tasks of a listing
FRAMES_MAX = 64
HEAD = struct.Struct("<8sIIQQ")
MEMBERS = ("stack_bytes used_max tasks_max endpoints_max name_max peer_max identity_max guard_next guard_give_up tasks_guard "
           "tasks_core tasks_memory tasks_count tasks_fn tasks_task core_first ep_next ep_connection ep_stream ep_pid ep_identity "
           "ep_tasks stream_peer fn_archive fn_id archive_name task_bytes task_of_ep task_fn task_event task_nap task_sp task_kept "
           "task_capacity task_due_ns task_ended task_is_abandoned").split()


class Damaged(Exception):
    """The records are not as the library leaves them."""


# --- memory -----------------------------------------------------------------------------------------------------------------

def read(address, size):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except (gdb.MemoryError, OverflowError) as error:
        raise Damaged(f"{size} bytes at {address:#x} cannot be read") from error


def number(address, size=8):
    return int.from_bytes(read(address, size), "little")


def text(address, size):
    """Printable characters only: they may be anything."""
    found = read(address, size).split(b"\0")[0]
    return "".join(chr(c) if 32 <= c < 127 else f"\\x{c:02x}" for c in found)


def members(first, link, most, what):
    """The addresses of a list's members, each once."""
    seen, at = set(), first
    while at != 0:
        if at in seen or len(seen) == most:
            raise Damaged(f"the list of {what} has {'a cycle' if at in seen else f'more than {most} members'} at {at:#x}")
        seen.add(at)
        yield at
        at = number(at + link)


class Layout:
    """The library's table of offsets: a process may have several libraries."""

    def __init__(self, address):
        magic, self.version, size, self.guards, self.give_up = HEAD.unpack(read(address, HEAD.size))
        if magic != b"tctasks\0":
            raise Damaged(f"the section {SECTION} at {address:#x} has no table of the library's")
        expected = HEAD.size + 4 * len(MEMBERS)
        if self.version != VERSION or size != (expected + 7) // 8 * 8:
            raise Damaged(f"this script knows version {VERSION} of the library's tasks, and the library has {self.version}: take "
                          "the script that is installed with it")
        values = struct.unpack(f"<{len(MEMBERS)}I", read(address + HEAD.size, 4 * len(MEMBERS)))
        if max(values) > VALUE_MAX:
            raise Damaged(f"the library's table at {address:#x} has {max(values)}, expected at most {VALUE_MAX}")
        self.__dict__.update(zip(MEMBERS, values))


def layouts():
    """The tables of all libraries, by gdb's list of sections."""
    found = re.findall(rf"^\s*(0x[0-9a-f]+) - 0x[0-9a-f]+ is {SECTION}\b", gdb.execute("info files", to_string=True), re.MULTILINE)
    if not found:
        raise gdb.GdbError("no library here knows functions that wait: libtchains is not loaded yet, or built without the module")
    return [Layout(int(address, 16)) for address in sorted(set(found))]


# --- tasks ------------------------------------------------------------------------------------------------------------------

class Task:
    """One record, as it was when it was read."""

    def __init__(self, layout, address, owner, ep):
        record = read(address, layout.task_bytes)
        self.layout, self.address, self.owner, self.ep = layout, address, owner, ep
        for name in ("fn", "event", "sp", "kept", "capacity", "due_ns"):
            setattr(self, name, struct.unpack_from("<Q", record, getattr(layout, "task_" + name))[0])
        self.ended = struct.unpack_from("<I", record, layout.task_ended)[0]
        self.abandoned = record[layout.task_is_abandoned] != 0

    @property
    def runs(self):
        return self.address == self.owner.running

    @property
    def used(self):
        return self.owner.top - self.sp

    def check(self):
        most = min(self.layout.used_max, self.capacity)
        if not 0 < self.used <= most:
            raise Damaged(f"the record has stack pointer {self.sp:#x}, expected at most {most} bytes below {self.owner.top:#x}")

    def bytes(self):
        """Those of its stack."""
        self.check()
        return read(self.kept, self.used)

    def name(self):
        layout = self.layout
        return text(number(self.fn + layout.fn_archive) + layout.archive_name, layout.name_max)

    def sender(self):
        layout, ep = self.layout, self.ep
        stream, pid = number(ep + layout.ep_stream), number(ep + layout.ep_pid)
        identity = text(ep + layout.ep_identity, layout.identity_max)
        parts = [text(stream + layout.stream_peer, layout.peer_max)] if stream != 0 else []
        parts += [f"process {pid}"] if pid != 0 else []
        parts += [f"identity {identity}"] if identity else []
        return ", ".join([*parts, f"endpoint {number(ep + layout.ep_connection, 2)}"])

    def state(self):
        if self.runs:
            return "runs"
        if self.event == 0:
            return "can go on" + (", to end" if self.ended else "")
        if self.event != self.address + self.layout.task_nap:
            return "waits for an answer"
        if not is_here():
            return f"sleeps until {self.due_ns / 1e9:.3f} s of CLOCK_MONOTONIC"
        return f"sleeps, {max(0, self.due_ns / 1e9 - time.clock_gettime(time.CLOCK_MONOTONIC)):.3f} s left"

    def line(self):
        if not self.runs:
            self.check()
        return f"'{self.name()}' from {self.sender()}; {self.state()}" + ("" if self.runs else f"; {self.used} bytes of stack")


def is_here():
    """Returns whether the process has this machine's clock."""
    connection = gdb.selected_inferior().connection
    return connection is not None and connection.type == "native"


class Owner:
    """A context's tasks."""

    def __init__(self, layout, address):
        self.layout = layout
        self.core = number(address + layout.tasks_core)
        self.top = number(address + layout.tasks_memory) + layout.stack_bytes
        self.count = number(address + layout.tasks_count)
        self.running = number(address + layout.tasks_task) if number(address + layout.tasks_fn) != 0 else 0

    def tasks(self):
        layout, left = self.layout, min(self.layout.tasks_max, TASKS_MAX)
        for ep in members(number(self.core + layout.core_first), layout.ep_next, layout.endpoints_max, "endpoints"):
            for task in members(number(ep + layout.ep_tasks), layout.task_of_ep, left, f"tasks of the endpoint at {ep:#x}"):
                left -= 1
                yield Task(layout, task, self, ep)


def owners():
    for layout in layouts():
        for guard in members(number(layout.guards), layout.guard_next, GUARDS_MAX, "guards"):
            if number(guard + layout.guard_give_up) == layout.give_up:
                yield Owner(layout, guard - layout.tasks_guard)


def all_tasks():
    for owner in owners():
        yield from owner.tasks()


# --- frames of a waiting function -------------------------------------------------------------------------------------------

# As runtime/modules/tasks/shared_stack.c pushes them, from the stack pointer on: {register: offset}, and the whole size. Calls
# preserve the lower half of v8 to v15.
PUSHED = {
    "i386:x86-64": ({"r15": 8, "r14": 16, "r13": 24, "r12": 32, "rbx": 40, "rbp": 48, "rip": 56}, 64),
    "aarch64": ({**{f"x{19 + i}": 8 * i for i in range(11)}, "pc": 88, **{f"v{8 + i}": 96 + 8 * i for i in range(8)}}, 176),
}
STACK_POINTERS = {"i386:x86-64": "rsp", "aarch64": "sp"}
FRAME_POINTERS = {"i386:x86-64": "rbp", "aarch64": "x29"}
KEPT_AS_THEY_ARE = {"i386:x86-64": ("fs_base", "gs_base"), "aarch64": ("cpsr", "tpidr")}


class FrameId:
    def __init__(self, machine, pending, sp):
        self.sp, self.pc = value_of(pending, STACK_POINTERS[machine], sp), pending.read_register("pc")


def integer(value):
    return int(value) & (1 << 64) - 1


def value_of(pending, register, integer_value):
    """As a value of the register's type: the rest of a vector is 0."""
    kind = pending.read_register(register).type
    return gdb.Value(integer_value.to_bytes(8, "little").ljust(kind.sizeof, b"\0"), kind)


def text_ranges():
    """Code of the program and of its libraries."""
    sections = gdb.execute("info files", to_string=True)
    found = re.findall(r"^\s*0x([0-9a-f]+) - 0x([0-9a-f]+) is \.(?:text|plt\S*|init|fini)\b", sections, re.MULTILINE)
    return [(int(begin, 16), int(end, 16)) for begin, end in found]


def has_symbol(pc):
    """Knows code that a compiler has registered with gdb, too."""
    return not gdb.execute(f"info symbol {pc:#x}", to_string=True).startswith("No symbol")


def follows_call(machine, address):
    """Returns whether the instruction before this address is a call."""
    try:
        before = read(address - 7, 7) if machine != "aarch64" else read(address - 4, 4)
    except Damaged:
        return False
    if machine == "aarch64":
        word = int.from_bytes(before, "little")
        return address % 4 == 0 and (word & 0xfc000000 == 0x94000000 or word & 0xfffffc1f == 0xd63f0000)
    # call rel32; or call by a register or by memory, of 2 to 7 bytes: ff /2.
    return before[2] == 0xe8 or any(before[7 - n] == 0xff and before[8 - n] >> 3 & 7 == 2 for n in (2, 3, 4, 6, 7))


class Shown:
    """The waiting function that is visible now."""

    def __init__(self, task, machine):
        self.task, self.machine = task, machine
        self.bytes = task.bytes()
        self.guessed = set()  # frames' instructions
        self.texts = text_ranges()
        newest = gdb.newest_frame()
        self.thread = (integer(newest.read_register(STACK_POINTERS[machine])), integer(newest.read_register("pc")))
        pushed, size = PUSHED[machine]
        if len(self.bytes) < size:
            raise Damaged(f"{len(self.bytes)} bytes of stack, expected at least {size}")
        self.registers = {name: self.word(task.sp + offset) for name, offset in pushed.items()}
        self.registers[STACK_POINTERS[machine]] = task.sp + size

    def word(self, address):
        return struct.unpack_from("<Q", self.bytes, address - self.task.sp)[0]

    @property
    def pc(self):
        return self.registers["rip" if "rip" in self.registers else "pc"]

    def enter(self, pending):
        """From the thread's newest frame. Its id is below those of the task: gdb wants callers above."""
        info = pending.create_unwind_info(FrameId(self.machine, pending, self.task.sp - 16))
        for name, found in self.registers.items():
            info.add_saved_register(name, value_of(pending, name, found))
        self.keep(info, pending)
        return info

    def keep(self, info, pending):
        for name in KEPT_AS_THEY_ARE[self.machine]:
            try:
                info.add_saved_register(name, pending.read_register(name))
            except (ValueError, gdb.error):
                pass  # not a register of this machine

    def guess(self, pending, sp):
        """The caller of code without tables."""
        for at in range(sp + -sp % 8, self.task.owner.top - 7, 8):
            found = self.word(at)
            if found != 0 and follows_call(self.machine, found):
                break
        else:
            return None
        self.guessed.add(found)
        info = pending.create_unwind_info(FrameId(self.machine, pending, at))
        frame_pointer = FRAME_POINTERS[self.machine]
        below = self.word(at - 8) if self.machine == "aarch64" and at - 8 >= sp else None
        info.add_saved_register("rip" if self.machine != "aarch64" else "pc", value_of(pending, "pc", found))
        info.add_saved_register(STACK_POINTERS[self.machine], value_of(pending, STACK_POINTERS[self.machine], at + 8))
        for name in PUSHED[self.machine][0]:
            if name not in ("rip", "pc") and not name.startswith("v"):
                kept = below if name == frame_pointer and below is not None else integer(pending.read_register(name))
                info.add_saved_register(name, value_of(pending, name, kept))
        self.keep(info, pending)
        return info

    def has_tables(self, pc):
        return any(begin <= pc < end for begin, end in self.texts) or has_symbol(pc)

    def unwind(self, pending):
        sp, pc = (integer(pending.read_register(name)) for name in (STACK_POINTERS[self.machine], "pc"))
        if (sp, pc) == self.thread:
            return self.enter(pending)
        if self.task.sp <= sp < self.task.owner.top and not self.has_tables(pc):
            return self.guess(pending, sp)
        return None


class TaskUnwinder(Unwinder):
    shown = None

    def __init__(self):
        super().__init__("tchains")

    def __call__(self, pending):
        return self.shown.unwind(pending) if self.shown is not None else None


UNWINDER = TaskUnwinder()
register_unwinder(None, UNWINDER, replace=True)


def elf_of(machine, address, content):
    """An ELF file with one read-only section."""
    names = b"\0.tctask\0.shstrtab\0"
    names_at = 64 + len(content)
    headers_at = (names_at + len(names) + 7) // 8 * 8
    kind = {"aarch64": 183, "i386:x86-64": 62}[machine]
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, kind, 1, 0, 0, headers_at, 0, 64, 0, 0, 64, 3, 2)
    section = struct.Struct("<IIQQQQIIQQ")
    headers = [section.pack(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), section.pack(1, 1, 2, address, 64, len(content), 0, 0, 16, 0),
               section.pack(9, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)]
    return (head + content + names).ljust(headers_at, b"\0") + b"".join(headers)


def parameter_text(name):
    value = gdb.parameter(name)
    return {True: "on", False: "off"}.get(value, value)


def restored(level):
    """Selects the thread's frame of that level again."""
    try:
        gdb.execute(f"frame {level}", to_string=True)
    except gdb.error:
        pass  # the command has ended the process


def with_frames_of(task, action):
    """Runs action(level of its newest frame, Shown) while its frames are the callers of the thread's newest one."""
    machine = gdb.newest_frame().architecture().name()
    if machine not in PUSHED:
        raise gdb.GdbError(f"frames of waiting functions are known of x86_64 and aarch64, not of {machine}")
    shown = Shown(task, machine)
    level = gdb.selected_frame().level()
    before = {name: parameter_text(name) for name in ("confirm", "trust-readonly-sections")}
    folder = tempfile.mkdtemp(prefix="tchains-gdb-")
    path = os.path.join(folder, "stack")
    try:
        with open(path, "wb") as file:
            file.write(elf_of(machine, task.sp, shown.bytes))
        gdb.execute("set confirm off")
        gdb.execute(f"add-symbol-file '{path}' -o 0", to_string=True)
        gdb.execute("set trust-readonly-sections on")
        UNWINDER.shown = shown
        gdb.invalidate_cached_frames()
        frame = gdb.newest_frame()
        while frame is not None and integer(frame.read_register("pc")) != shown.pc and frame.level() < FRAMES_MAX:
            frame = frame.older()
        if frame is None or frame.level() == FRAMES_MAX:
            raise gdb.GdbError("gdb takes no frames of a waiting function here")
        frame.select()
        action(frame.level(), shown)
    finally:
        UNWINDER.shown = None
        for name, value in before.items():
            if name != "confirm":
                gdb.execute(f"set {name} {value}")
        try:
            gdb.execute(f"remove-symbol-file -a {task.sp:#x}", to_string=True)
        except gdb.error:
            pass  # it was not added
        gdb.execute(f"set confirm {before['confirm']}")
        gdb.invalidate_cached_frames()
        restored(level)
        shutil.rmtree(folder, ignore_errors=True)


# --- commands ---------------------------------------------------------------------------------------------------------------

class Command(gdb.Command):
    """Reports damaged records in a line."""

    def invoke(self, argument, from_tty):
        thread = gdb.selected_thread()
        if thread is None:
            raise gdb.GdbError("there is no process and no core")
        if thread.is_running():
            raise gdb.GdbError("the thread runs: interrupt it first")
        try:
            self.run(argument)
        except Damaged as problem:
            raise gdb.GdbError(f"damaged: {problem}") from problem

    def run(self, argument):
        raise NotImplementedError


class Tasks(Command):
    """List the functions that wait: tc tasks [COUNT | all]

A line has the task's number, its function, its sender, the event that it waits for, and the bytes of its stack. Without an
argument the first 100 are listed. A number is valid until the process goes on."""

    def __init__(self):
        super().__init__("tc tasks", gdb.COMMAND_STATUS)

    def run(self, argument):
        if argument not in ("", "all") and not argument.isdigit():
            raise gdb.GdbError("tc tasks [COUNT | all]")
        most = TASKS_MAX if argument == "all" else int(argument or SHOWN)
        count = sum(owner.count for owner in owners())
        listed = 0
        for listed, task in enumerate(itertools.islice(all_tasks(), most), 1):
            try:
                line = task.line()
            except Damaged as problem:
                line = f"record at {task.address:#x}: damaged: {problem}"
            print(f"{listed:4}  {line}")
        if count == 0:
            print("No function waits.")
        if listed < count:
            print(f"{count - listed} of {count} are not listed.")


class OneTask(Command):
    """Run a command with the frames of a function that waits: tc task NUMBER [COMMAND]

The number is that of `tc tasks`; the command is `bt` by default. Its first frame is that in which the function left the
stack, and is selected. The process is not changed: the command must not assign to variables, or let the process go on. Names and arguments of shipped code need
TC_DEBUG_CODE=yes where it runs; otherwise its frames are guesses."""

    def __init__(self):
        super().__init__("tc task", gdb.COMMAND_STACK)

    def run(self, argument):
        match = re.fullmatch(r"(\d{1,7})(?:\s+(.+))?", argument.strip())
        if match is None or int(match.group(1)) == 0:
            raise gdb.GdbError("tc task NUMBER [COMMAND]: the number is that of tc tasks")
        task = next(itertools.islice(all_tasks(), int(match.group(1)) - 1, None), None)
        if task is None:
            raise gdb.GdbError(f"there is no task {match.group(1)}: see tc tasks")
        if task.runs:
            raise gdb.GdbError("this one runs: its frames are those of its thread")
        command = match.group(2) or "bt"
        show = self.backtrace if command.split()[0] in ("bt", "backtrace", "where") else self.other
        print(f"Task {match.group(1)}: {task.line()}")
        with_frames_of(task, lambda level, shown: show(command, level, shown))

    @staticmethod
    def other(command, level, shown):
        gdb.execute(command)

    @staticmethod
    def backtrace(command, level, shown):
        """Without the thread's own frames, and with the function at those without a name."""
        command = re.sub(r" (\d+)$", lambda count: f" {int(count.group(1)) + level}", command)
        skipped = False
        for line in gdb.execute(command, to_string=True).splitlines():
            frame = re.match(r"#(\d+)\s", line)
            if frame is not None:
                skipped = int(frame.group(1)) < level
            if skipped:
                continue
            print(line + (f" of '{shown.task.name()}'" if frame is not None and "in ?? ()" in line else ""))
        if shown.guessed:
            print(f"({len(shown.guessed)} of these are guesses, behind code without unwind tables; a target with TC_DEBUG_CODE=yes "
                  "makes tables)")


class Prefix(gdb.Command):
    """Commands about Three-Chains."""


Prefix("tc", gdb.COMMAND_USER, prefix=True)
Tasks()
OneTask()
