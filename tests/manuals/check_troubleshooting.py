#!/usr/bin/env python3
"""Every error that docs/troubleshooting.md explains is printed by the programs, in these words.

    check_troubleshooting.py ROOT BUILD CALL_ERRORS OWN_UCX TWO_THREADS

An entry is a heading `### `text``; `...` in it stands for anything. For each there is a function here that makes a program print it.
"""
import concurrent.futures
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

DEADLINE_S = 120
GREET = """#include <tc/entry.h>
void greet_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
%s}
"""
SLOW = "".join(f"    y = y * 3 + {i}; y ^= y >> 7; if (y & {i % 13}) y += {i};\n" for i in range(1200))

entries = {}


def prints(text):
    def remember(function):
        entries[text] = function
        return function
    return remember


class Place:
    """A folder with functions, and targets that end with it."""

    def __init__(self, folder, root, build, call_errors, own_ucx, two_threads):
        self.folder, self.root, self.bin, self.targets = folder, root, os.path.join(build, "bin"), []
        self.call_errors, self.own_ucx, self.two_threads = call_errors, own_ucx, two_threads
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TC_")}
        self.environment = {**kept, "TC_CACHE_DIR": "", "UCX_LOG_FILE": "stderr"}

    def said(self, program, *arguments, **environment):
        """A program's exit code, and all that it prints."""
        path = os.path.join(self.bin, program) if program.startswith("tc-") else program
        done = subprocess.run([path, *arguments], cwd=self.folder, text=True,
                              env={**self.environment, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=DEADLINE_S, check=False)
        return done.returncode, done.stdout

    def run(self, program, *arguments, **environment):
        """The output of a program that is expected to fail."""
        code, output = self.said(program, *arguments, **environment)
        if code == 0:
            raise AssertionError(f"{program} {' '.join(arguments)}: expected to fail, printed {output}")
        return output

    def compile(self, text, *arguments, name="greet"):
        with open(os.path.join(self.folder, f"{name}.c"), "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([os.path.join(self.bin, "tc-clang"), "-I", os.path.join(self.root, "include"), f"{name}.c", "-o",
                        f"{name}.tca", *arguments], cwd=self.folder, env=self.environment, timeout=DEADLINE_S, check=True)

    def compile_fails(self, text, *arguments):
        with open(os.path.join(self.folder, "wrong.c"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.run("tc-clang", "-I", os.path.join(self.root, "include"), "wrong.c", "-o", "wrong.tca", *arguments)

    def target(self, **environment):
        """Starts one; gives its address."""
        port_file = os.path.join(self.folder, f"port{len(self.targets)}")
        process = subprocess.Popen([os.path.join(self.bin, "tc-node"), "--listen", "127.0.0.1:0", "--port-file", port_file],
                                   cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.targets.append(process)
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(port_file):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("tc-node did not come up")
            time.sleep(0.005)
        with open(port_file, encoding="ascii") as file:
            return f"127.0.0.1:{int(file.read())}"

    def start(self, program, *arguments):
        """A program that ends with this folder."""
        self.targets.append(subprocess.Popen([os.path.join(self.bin, program), *arguments], cwd=self.folder, env=self.environment,
                                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def send_fails(self, *arguments, name="greet", **environment):
        """To a target of these options."""
        return self.run("tc-send", self.target(**environment), f"{name}.tca", *arguments)

    def call_fails(self, body, **environment):
        """A call of a function with that body."""
        self.compile(GREET % body)
        return self.run(self.call_errors, f"127.0.0.1:{free_port()}", "greet", **environment)

    def end(self):
        for target in self.targets:
            if target.poll() is None:
                target.send_signal(signal.SIGINT)
            try:
                target.wait(timeout=DEADLINE_S)
            except subprocess.TimeoutExpired:
                target.kill()
                target.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def answer_with(data):
    """The address of a server that sends `data` to the first peer."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        with server, server.accept()[0] as peer:
            peer.sendall(data)
            try:
                while peer.recv(4096):
                    pass
            except ConnectionResetError:
                pass
    threading.Thread(target=serve, daemon=True).start()
    return f"127.0.0.1:{server.getsockname()[1]}"


@prints("delivery put: no RDMA adapter carries it to this peer, ...")
def _(place):
    place.compile(GREET % "")
    puts = {"TC_DELIVERY": "put", "UCX_TLS": "tcp,self", "TC_NETWORK": "yes", "UCX_NET_DEVICES": "lo"}
    return place.run("tc-send", place.target(**puts), "greet.tca", **puts)


@prints("Three-Chains needs ...; found: .... Install it (Debian and Ubuntu: apt install ...; all that is missing: scripts/install-deps.sh)")
def _(place):
    output = place.run("cmake", "-S", place.root, "-B", "build", "-G", "Ninja", PKG_CONFIG_LIBDIR="/nonexistent", PKG_CONFIG_PATH="")
    return " ".join(output.split())  # it breaks lines


@prints("install-deps: in none of this machine's archives: ...")
def _(place):
    """A machine without packages, and with empty archives."""
    for name, text in {"dpkg-query": "exit 1", "id": "echo 0", "apt-get": "exit 0", "apt-cache": "exit 1"}.items():
        with open(os.path.join(place.folder, name), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(os.path.join(place.folder, name), 0o755)
    return place.run(os.path.join(place.root, "scripts", "install-deps.sh"), "--tests",
                     PATH=f"{place.folder}:{os.environ['PATH']}")


@prints("error while loading shared libraries: libtchains.so.1: cannot open shared object file: ...")
def _(place):
    """A program without its rpath."""
    program = os.path.join(place.bin, "tc-send")
    dynamic = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout
    loader = re.search(r"interpreter: (\S+)\]", dynamic).group(1)
    return place.run(loader, "--inhibit-rpath", "", program, "--help", LD_LIBRARY_PATH="")


@prints("this program was compiled with the headers of version ..., and the libtchains that was found is of ...: expected ... or newer")
def _(place):
    return place.run(place.call_errors)


@prints("connect to ...: Connection refused")
def _(place):
    return place.run("tc-info", "--connect", f"127.0.0.1:{free_port()}")


@prints("connecting: the peer did not answer in time")
def _(place):
    address = place.target()
    place.targets[-1].send_signal(signal.SIGSTOP)
    try:
        return place.run("tc-info", "--connect", address, TC_CONNECT_TIMEOUT="200ms")
    finally:
        place.targets[-1].send_signal(signal.SIGCONT)


@prints("connecting: the peer did not answer in time: it is busy for ... s in function '...' of ...")
def _(place):
    place.compile(GREET % "    for (volatile int turns = 0;; turns++)\n        continue;\n")
    address = place.target()
    place.start("tc-send", address, "greet.tca")
    deadline = time.monotonic() + DEADLINE_S
    text = ""
    while "busy" not in text and time.monotonic() < deadline:  # before the function runs, the node answers
        _, text = place.said("tc-info", "--connect", address, TC_CONNECT_TIMEOUT="3s")
    return text


@prints("'...' is not host:port (such as 127.0.0.1:7000 or [::1]:7000): the port is missing")
def _(place):
    return place.run("tc-info", "--connect", "127.0.0.1")


@prints("listen on '...': ... is reachable from outside, and whoever connects can run code here: set key_file (tc-node --make-key "
        "makes one), or tls_ca, tls_cert and tls_key; listen_any=yes allows it without")
def _(place):
    return place.run("tc-node", "--listen", "0.0.0.0:0")


@prints("listen on ...: Address already in use")
def _(place):
    return place.run("tc-node", "--listen", place.target())


@prints("UCX start: ...: ..., expected ... to ... KB free for each context. Enlarge it (docker run --shm-size=1g), or let "
        "UCX_POSIX_DIR name a folder with room for this and its peers")
def _(place):
    return place.run("tc-node", "--listen", "127.0.0.1:0", UCX_POSIX_DIR=os.path.join(place.folder, "no_such_folder"))


@prints("delivery am: the two sides have no UCX in common, or one of them wants all to go over the connection")
def _(place):
    return place.run("tc-info", "--connect", place.target(), UCX_TLS="tcp,self", UCX_NET_DEVICES="lo", TC_DELIVERY="am")


@prints("no active messages transport to ...")
def _(place):
    return place.run(place.own_ucx, place.target(UCX_TLS="posix,self"), UCX_TLS="posix,self", TC_DELIVERY="am")


@prints("two threads use one context at the same time: thread ... (...) is in ..., and thread ... (...) has called ...; "
        "expected one thread at a time: ...")
def _(place):
    return place.run(place.two_threads, TC_CHECK_THREADS="yes")


@prints("not a Three-Chains peer: begins with ..., expected ...")
def _(place):
    return place.run("tc-info", "--connect", answer_with(b"HTTP/1.0 400 Bad Request\r\n\r\n" * 16))


@prints("the peer speaks protocol version ..., this side version ...")
def _(place):
    return place.run("tc-info", "--connect", answer_with(b"TCHI" + (4711).to_bytes(2, "little") + bytes(4096)))


@prints("peer lost: ... closed the connection")
def _(place):
    place.compile(GREET % "    *(volatile int *)8 = 1;\n")
    return place.send_fails()


@prints("refused by the target: ...: no library here defines: ...")
def _(place):
    place.compile("void nowhere(void);\n" + GREET % "    nowhere();\n")
    return place.send_fails()


@prints("refused by the target: ...: symbol ... is used as '...', and tc:... has it as '...'")
def _(place):
    area = '#include <tc/entry.h>\ndouble area(%s side) TC_SYMBOL(area, "(%s)->f64");\n'
    place.compile(area % ("float", "f32") + "double area(float side) { return (double)side * (double)side; }\n", "--library",
                  name="squares")
    place.compile(area % ("double", "f64") + GREET % "    (void)area(3);\n", "--uses=squares")
    address = place.target()
    code, output = place.said("tc-send", address, "squares.tca", "--push")
    if code != 0:
        raise AssertionError(f"the library was not pushed: {output}")
    return place.run("tc-send", address, "greet.tca")


@prints("refused by the target: ...: deps: library ... cannot be loaded: ...")
def _(place):
    place.compile(GREET % "")
    with open(os.path.join(place.folder, "greet.deps"), "w", encoding="ascii") as file:
        file.write("libnowhere.so.1\n")
    return place.send_fails()


@prints("refused by the target: ...: archive ...: no bitcode for ..., it has: ...")
def _(place):
    other = "x86_64" if os.uname().machine == "aarch64" else "aarch64"
    place.compile(GREET % "", f"--targets={other}")
    return place.send_fails()


@prints("refused by the target: ...: it is bitcode, which takes a compiler: no code engine: looked for libtchains-orc.so in ...")
def _(place):
    place.compile(GREET % "", "--forms=bitcode")
    return place.send_fails(TC_ENGINE_PATH=place.folder)


@prints("refused by the target: ...: compiling it took longer than compile_time_max, ...")
def _(place):
    body = "    unsigned long y = payload_size;\n" + SLOW + "    *(volatile unsigned long *)target_args = y;\n"
    place.compile(GREET % body, "--forms=bitcode", "-O0")
    return place.send_fails(TC_COMPILE_TIME_MAX="10ms")


@prints("refused by the target: ...: no process to compile in can be had: ...")
def _(place):
    place.compile(GREET % "", "--forms=bitcode")
    modules = os.path.join(place.folder, "modules")
    os.mkdir(modules)
    built = os.path.join(os.path.dirname(place.bin), "lib", "libtchains-orc.so")
    shutil.copy(built, modules)
    return place.send_fails(TC_ENGINE_PATH=modules)


def make_large(place):
    place.compile(GREET % "")
    with open(os.path.join(place.folder, "large"), "wb") as file:
        file.write(bytes(1 << 20))


@prints("refused by the target: ...: payload of ... bytes, option payload_bytes_max is ...")
def _(place):
    make_large(place)
    return place.send_fails("--payload", "large", TC_PAYLOAD_BYTES_MAX="64K")


@prints("the payload is above the ... bytes that this peer takes, ...")
def _(place):
    make_large(place)
    return place.run("tc-send", place.target(), "greet.tca", "--payload", "large", TC_PAYLOAD_BYTES_MAX="64K")


@prints("archive: damaged or cut short: the checksum of its ... bytes does not fit")
def _(place):
    place.compile(GREET % "")
    os.truncate(os.path.join(place.folder, "greet.tca"), 60)
    return place.run("tc-ar", "show", "greet.tca")


@prints("archive: begins with bytes ..., expected 'TCA'")
def _(place):
    place.compile(GREET % "")
    return place.run("tc-ar", "show", "greet.c")


@prints("fatal error: 'tc/entry.h' file not found")
def _(place):
    place.compile(GREET % "")
    return place.run("tc-clang", "-nostdinc", "greet.c", "-o", "greet.tca")


@prints("error: '..._main' is not defined, found '..._main'; expected "
        "'void ..._main(void *payload, size_t payload_size, void *target_args)'")
def _(place):
    return place.compile_fails(GREET % "")


@prints("error: thread-local variable '...' of a library cannot be shipped, as each thread has another; call a function of that "
        "library which gives its address, as __errno_location() does, or define the variable in this code")
def _(place):
    return place.compile_fails("extern _Thread_local int calls;\n" + GREET % "    calls++;\n", "--name=greet")


@prints("error: library '-l...' not found; looked in ...")
def _(place):
    return place.compile_fails(GREET % "", "--name=greet", "-lnowhere")


@prints("environment: ...='...' is not in ...")
def _(place):
    return place.run("tc-info", "--options", TC_RING_BYTES="100")


@prints("object cache: ... has mode ..., expected 0700: open to its owner alone")
def _(place):
    folder = os.path.join(place.folder, "open")
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    return place.run("tc-info", "--cache", TC_CACHE_DIR=folder)


@prints("... symbol ... of ... is denied: ... line ...: ...")
def _(place):
    path = os.path.join(place.folder, "rules")
    with open(path, "w", encoding="ascii") as file:
        file.write("deny * getp?d\ndefault allow\n")
    os.chmod(path, 0o600)
    place.compile("#include <unistd.h>\n" + GREET % "    (void)getpid();\n")
    return place.send_fails(TC_SYMBOLS=f"@{path}")


@prints("no option named '...'")
def _(place):
    """No program passes such a name on: the text is searched in the library's source."""
    with open(os.path.join(place.root, "runtime", "base", "option_table.c"), encoding="utf-8") as file:
        return "\n".join(re.findall(r'"(no option named [^"]*)"', file.read()))


@prints("no answer came in time")
def _(place):
    return place.call_fails("    tc_call_ticket ticket;\n    (void)!tc_detach(&ticket);\n", TC_CALL_TIMEOUT="100ms")


@prints("an answer of ... bytes, room for ...")
def _(place):
    return place.call_fails("    (void)!tc_reply(\"too long\", 8);\n")


@prints("rank ... does not send it on: it has made ... hops, the limit")
def _(place):
    return place.call_fails("    (void)!tc_forward(tc_self_rank(), payload, payload_size);\n")


@prints("barrier: not all members came in time; missing: rank ...")
def _(place):
    return place.run(place.call_errors, f"127.0.0.1:{free_port()},127.0.0.1:{free_port()}")


def check(text, *places):
    pattern = ".*".join(map(re.escape, text.split("...")))
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, *places)
        try:
            output = entries[text](place)
        except (AssertionError, subprocess.CalledProcessError) as error:
            output = f"{error}\n"
        finally:
            place.end()
    if not re.search(pattern, output):
        return [f"'{text}': was to be printed, but instead\n{output}"]
    return []


def main():
    places = [os.path.abspath(path) for path in sys.argv[1:6]]
    with open(os.path.join(places[0], "docs", "troubleshooting.md"), encoding="utf-8") as file:
        explained = re.findall(r"^### `(.*)`$", file.read(), re.MULTILINE)
    problems = [f"docs/troubleshooting.md: no test makes a program print '{text}'" for text in explained if text not in entries]
    problems += [f"docs/troubleshooting.md: does not explain '{text}'" for text in entries if text not in explained]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # they mostly wait for programs
        problems += [problem for found in pool.map(lambda text: check(text, *places), entries) for problem in found]
    for problem in problems:
        print(problem)
    print(f"{len(explained)} entries, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
