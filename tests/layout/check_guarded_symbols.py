#!/usr/bin/env python3
"""No pattern of a symbol policy allows calls that start programs, find symbols or reach into other
processes.

    check_guarded_symbols.py ROOT OBJDUMP COMPILER

Reads the exports of COMPILER's C library and of the libraries beside it. A call graph from OBJDUMP's disassembly says
which of them reach a guarded system call. Each of those, and each that hands out the dynamic linker's own objects, has
to be among the symbols that a rule must name (runtime/engine/symbol_rule.c), or in EXCEPTIONS with a reason.
docs/policy.md has to list the same symbols.

Calls through pointers are not followed, but a function with its address taken by another one counts as called by it.
For the other architecture: "check_guarded_symbols.py . llvm-objdump aarch64-linux-gnu-gcc".
"""
import bisect
import collections
import fnmatch
import os
import re
import struct
import subprocess
import sys

LIBRARIES = ("libc.so.6", "ld-linux-*.so.*", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
             "libutil.so.1", "libanl.so.1", "libresolv.so.2")

# An export that reaches one of these through any number of calls is guarded.
REACHED = set("""
    clone clone3 fork vfork execve execveat
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_open pidfd_getfd
    pidfd_send_signal kcmp perf_event_open bpf userfaultfd
    setns unshare chroot pivot_root mount umount2 move_mount open_tree mount_setattr fsopen fsconfig fsmount fspick
    open_by_handle_at personality modify_ldt ioperm iopl seccomp capset
    init_module finit_module delete_module create_module query_module get_kernel_syms kexec_load uselib nfsservctl
    acct quotactl reboot swapon swapoff sethostname setdomainname settimeofday clock_settime adjtimex clock_adjtime
    memfd_create memfd_secret shmat remap_file_pages pkey_mprotect io_uring_setup
""".split())
# malloc and pthread_create issue these, so only an export that issues one in its own code is guarded.
ISSUED = {"mmap", "mprotect", "mremap", "prctl", "arch_prctl"}

# Exports with a name of the dynamic linker's.
LINKER = re.compile(r"_*dl[a-z_]|_rtld_|__nptl_rtld|_r_debug|__libc_dl")

THREADS = "starts a thread of this process, no program"
EXCEPTIONS = {
    "pthread_create": THREADS, "thrd_create": THREADS, "timer_create": THREADS, "mq_notify": THREADS,
    "aio_cancel": THREADS, "aio_cancel64": THREADS, "aio_fsync": THREADS, "aio_fsync64": THREADS,
    "aio_read": THREADS, "aio_read64": THREADS, "aio_write": THREADS, "aio_write64": THREADS,
    "lio_listio": THREADS, "lio_listio64": THREADS, "getaddrinfo_a": THREADS,
    "ntp_gettime": "reads the clock", "ntp_gettimex": "reads the clock",
    "dlclose": "takes a handle, which dlopen alone returns", "dlerror": "returns a text",
    "__libc_dlerror_result": "the text of this thread's dlerror",
}

# Exports that a sound call graph finds: that issue a guarded call, or reach one through internal functions.
KNOWN = ("_IO_proc_open", "posix_spawn", "system", "execl", "wordexp", "mprotect", "unshare")

COMMENT = re.compile(r"\s*(//|# ).*")
NUMBER = re.compile(r"#define __NR_(\w+) (\d+)$", re.M)
TARGET = re.compile(r"(?:0x)?([0-9a-f]+) <")
EH_FRAME_HEADER = 0x6474E550


class X86:
    number, issue, call = "ax", "syscall", {"call", "callq"}
    written = re.compile(r"%\w*?(\w[xip0-9])$")
    constant, copied = re.compile(r"\$(0x[0-9a-f]+),"), re.compile(r"%\w*?(\w[xip0-9]),%")


class Arm:
    number, issue, call = "8", "svc", {"bl"}
    written = re.compile(r"^[xw](\d+),")
    constant, copied = re.compile(r"[xw]\d+, #(\w+)"), re.compile(r"[xw]\d+, [xw](\d+)$")


MACHINES = {62: X86, 183: Arm}


def frame_starts(data):
    """Where functions begin, by the table that unwinders search; internal functions are in no other."""
    starts = set()
    table, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for i in range(count):
        kind, _, offset, address = struct.unpack_from("<IIQQ", data, table + 56 * i)
        if kind == EH_FRAME_HEADER:
            entries, = struct.unpack_from("<I", data, offset + 8)
            starts |= {address + struct.unpack_from("<i", data, offset + 12 + 8 * k)[0] for k in range(entries)}
    return starts


class Library:
    def __init__(self, path, objdump):
        with open(path, "rb") as f:
            data = f.read()
        self.machine = MACHINES[struct.unpack_from("<H", data, 18)[0]]
        self.exports = collections.defaultdict(set)  # names by address
        self.objects = set()
        self.read_exports(path)
        code = self.disassemble(path, objdump)
        called = {target for _, op, _, target in code if op in self.machine.call and target is not None}
        self.starts = sorted(frame_starts(data) | set(self.exports) | called)
        self.callers = collections.defaultdict(set)
        self.issues = collections.defaultdict(set)  # numbers of system calls by function
        self.walk(code)

    def read_exports(self, path):
        for line in output(["readelf", "-W", "--dyn-syms", path]).splitlines():
            f = line.split()
            if len(f) < 8 or not f[0].rstrip(":").isdigit() or f[6] in ("UND", "ABS"):
                continue
            name = f[7].split("@")[0]
            if f[3] in ("FUNC", "IFUNC"):
                self.exports[int(f[1], 16)].add(name)
            else:
                self.objects.add(name)

    def disassemble(self, path, objdump):
        code = []
        text = output([objdump, "-d", "--no-show-raw-insn", path])
        if f"\t{self.machine.issue}" not in text:
            return code
        for line in text.splitlines():
            head, _, rest = line.partition("\t")
            if not rest or not head.startswith(" "):
                continue
            op, _, operands = rest.partition("\t" if "\t" in rest else " ")
            target = TARGET.search(operands) if "<" in operands else None
            operands = COMMENT.sub("", operands) if "#" in operands or "//" in operands else operands
            code.append((int(head.strip(" :"), 16), op, operands.strip(), int(target[1], 16) if target else None))
        return code

    def function(self, address):
        return self.starts[max(bisect.bisect_right(self.starts, address) - 1, 0)]

    def walk(self, code):
        known = set(self.starts)
        function, constants, machine = None, {}, self.machine
        end = -1
        for address, op, operands, target in code:
            if address >= end or function is None:
                i = bisect.bisect_right(self.starts, address)
                function, constants = self.starts[max(i - 1, 0)], {}
                end = self.starts[i] if i < len(self.starts) else 1 << 64
            if target is not None:
                jumps = op[0] in "jb" or op[:2] in ("cb", "tb") or op in machine.call
                if jumps or target in known:
                    callee = self.function(target)
                    if callee != function:
                        self.callers[callee].add(function)
            if op == machine.issue:
                self.issues[function].add(constants.get(machine.number))
            else:
                self.follow(constants, op, operands)

    def follow(self, constants, op, operands):
        """Registers that hold a constant, since a function's first instruction."""
        written = self.machine.written.search(operands)
        if not written:
            return
        constant, copied = self.machine.constant.match(operands), self.machine.copied.match(operands)
        if op.startswith("mov") and constant:
            constants[written[1]] = int(constant[1], 0)
        elif op.startswith("mov") and copied:
            constants[written[1]] = constants.get(copied[1])
        else:
            constants.pop(written[1], None)

    def issuing(self, numbers):
        return {f for f, issued in self.issues.items() if issued & numbers}

    def reaching(self, numbers):
        seen = self.issuing(numbers)
        todo = list(seen)
        while todo:
            new = self.callers[todo.pop()] - seen
            seen |= new
            todo += new
        return seen

    def names(self, functions):
        return {name for f in functions for name in self.exports.get(f, ())}


def output(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def guarded_names(root):
    source = read(os.path.join(root, "runtime/engine/symbol_rule.c"))
    table = re.search(r"guarded_symbols\[\] = \{(.*?)\};", source, re.S)[1]
    document = read(os.path.join(root, "docs/policy.md"))
    chapter = re.search(r"## Symbols that must be named\n(.*?)\n## ", document, re.S)[1]
    return set(re.findall(r'"([^"]+)"', table)), set(re.findall(r"`([^`\s]+)`", chapter.split("very name:")[1]))


def kernel_numbers(compiler):
    found = subprocess.run([compiler, "-E", "-dM", "-x", "c", "-"], input="#include <asm/unistd.h>\n", check=True,
                           capture_output=True, text=True).stdout
    return {name: int(number) for name, number in NUMBER.findall(found)}


def libraries(compiler):
    folder = os.path.dirname(os.path.realpath(output([compiler, "-print-file-name=libc.so.6"]).strip()))
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if any(fnmatch.fnmatch(name, pattern) for pattern in LIBRARIES)]


def find(paths, objdump, numbers):
    """The library of each export that should be guarded."""
    reached, issued = ({numbers[name] for name in names if name in numbers} for names in (REACHED, ISSUED))
    found = {}
    for path in paths:
        library = Library(path, objdump)
        exported = library.names(library.exports) | library.objects
        names = library.names(library.reaching(reached) | library.issuing(issued))
        names |= {name for name in exported if LINKER.match(name)}
        found.update({name: os.path.basename(path) for name in names})
    return found


def main():
    root, objdump, compiler = sys.argv[1:]
    wanted, listed = guarded_names(root)
    bad = [f"{name} is in one of docs/policy.md and runtime/engine/symbol_rule.c, expected in both"
           for name in sorted(wanted ^ listed)]
    paths = libraries(compiler)
    found = find(paths, objdump, kernel_numbers(compiler))
    for name, library in sorted(found.items()):
        if name not in EXCEPTIONS and not any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted):
            bad.append(f"{name} of {library} is neither in guarded_symbols nor in EXCEPTIONS")
    bad += [f"the call graph misses {name}" for name in KNOWN if name not in found]
    print("\n".join(bad) if bad else f"{len(found)} exports of {len(paths)} libraries are guarded or excepted")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
