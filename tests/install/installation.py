"""An installation of Three-Chains as its users have it: builds small programs against it, and runs them."""
import glob
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Libraries on top of libtchains, and the words of a program with each.
ADDONS = {"am": "1 active message", "objects": "no objects"}
CONSUMER = os.path.join(HERE, "consumer")
sys.path.append(os.path.join(HERE, "..", "tools"))
from node_process import Node, clean_environment  # noqa: E402

WORLD_SAYS = "connected after 3600 s\n"
GREETING = "from a program of its own: 2.9\n"
# The limit of the whole test, which counts the time that a busy machine gives it, comes first.
STEP_SECONDS = 3000


def run(command, environment=None, must_fail=False):
    """Its output; both streams. The command ends with status 0, or with must_fail with any other."""
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=STEP_SECONDS, check=False)
    if (done.returncode != 0) != must_fail:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class Installation:
    """prefix: of the installation. scratch: a folder for build results. The compilers are those that users have. module_files:
    pkg-config's are there, which programs that only run do not need."""

    def __init__(self, prefix, scratch, cc, cxx, module_files=True):
        self.prefix, self.scratch, self.cc, self.cxx = prefix, scratch, cc, cxx
        self.environment = {**clean_environment(), "CC": cc, "CXX": cxx}
        if module_files:
            self.environment["PKG_CONFIG_PATH"] = os.path.dirname(self.find("tchains.pc"))
        self.libraries = os.path.dirname(self.find("libtchains.so.[0-9]"))

    def find(self, name):
        found = glob.glob(os.path.join(self.prefix, "**", name), recursive=True)
        if not found:
            sys.exit(f"{self.prefix}: no {name} is installed")
        return found[0]

    def tool(self, name):
        return os.path.join(self.prefix, "bin", name)

    def has_tool(self, name):
        return os.path.exists(self.tool(name))

    def pkg_config(self, *arguments, module="tchains"):
        """Its words, as a shell would take them: folders may have spaces."""
        return shlex.split(run(["pkg-config", *arguments, module], self.environment))

    def try_julia(self):
        """The package for Julia finds the library beside which it lies. It is only looked for where there is no Julia."""
        package = os.path.dirname(self.find(os.path.join("share", "tchains", "julia", "ThreeChains.jl")))
        where = subprocess.run([os.path.join(HERE, "..", "..", "scripts", "install-julia.sh"), "--where"], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=STEP_SECONDS)
        if where.returncode != 0:
            print("not tried: the package for Julia, as there is no Julia 1.5")
            return
        environment = {**self.environment, "JULIA_LOAD_PATH": package + ":", "JULIA_DEPOT_PATH": os.path.join(self.scratch, "depot")}
        environment.pop("TCHAINS_LIBRARY", None)
        said = run([where.stdout.strip(), "--startup-file=no", "-e", "using Libdl, ThreeChains; Context() do context; "
                    'println(port(Listener(context, "127.0.0.1:0")) > 0); end; foreach(println, dllist())'], environment).splitlines()
        if said[0] != "true" or os.path.realpath(self.find("libtchains.so.[0-9]")) not in map(os.path.realpath, said):
            sys.exit(f"the package for Julia does not listen, or by another library: {said}")

    def send(self, program, function, options=None, folder=None, expected=None):
        """One message from program to an installed tc-node, with functions of the folder; without a function only the connection.
        The target has to print the greeting, if there is a function, or the expected text."""
        expected = GREETING if function else expected
        output, log = (os.path.join(self.scratch, name) for name in ("node.out", "node.log"))
        libraries = {"LD_LIBRARY_PATH": self.libraries}
        with open(output, "w", encoding="utf-8") as out, open(log, "w", encoding="utf-8") as err:
            with Node(self.tool("tc-node"), out, err, options) as node:
                run([program, node.address] + ([function] if function else []),
                    {**self.environment, **libraries, "TC_IFUNC_PATH": folder or self.scratch})
        with open(output, encoding="utf-8") as out, open(log, encoding="utf-8") as err:
            said, logged = out.read(), err.read()
        if expected and expected not in said or " warn" in logged.lower():
            sys.exit(f"{program}: its target printed {said!r} and logged\n{logged}")

    def try_cmake(self, cmake, with_llvm):
        """The project in consumer/, in both languages."""
        build = os.path.join(self.scratch, "by-cmake")
        configure = [cmake, "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        run(configure, self.environment)
        run([cmake, "--build", build], self.environment)
        self.run_world(os.path.join(build, "world"))
        for addon in ADDONS:
            self.run_addon(addon, os.path.join(build, addon))
        if with_llvm:
            for suffix in (".tca", ".deps"):
                shutil.copy(os.path.join(build, "greet" + suffix), self.scratch)
            out = run([os.path.join(build, "package_sender"), os.path.join(build, "greetings.tcp"),
                       os.path.join(build, "libgreetings-local.so")], self.environment)
            if out != "greetings, hail\n":
                sys.exit(f"package_sender says {out}")
        if os.path.exists(stubs := os.path.join(build, "stub_sender")):
            shutil.copy(os.path.join(build, "average.tca"), self.scratch)
            self.send(stubs, None)
        for program in ("sender_c", "sender_cxx"):
            self.send(os.path.join(build, program), "greet" if with_llvm else None)
        out = run([*configure[:4], build + "-new", configure[-1], "-DCONSUMER_WANTS=999.0"], self.environment, must_fail=True)
        if 'compatible with requested version "999.0"' not in " ".join(out.split()):
            sys.exit(f"find_package accepted, or refused without a reason, version 999.0:\n{out}")

    def follow_lesson(self, cmake, name):
        """A lesson as it is installed, as a project of its own: by the steps of its text."""
        source, build = self.find(os.path.join("examples", "lessons", name)), os.path.join(self.scratch, name)
        run([cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}"], self.environment)
        run([cmake, "--build", build], self.environment)
        run([sys.executable, "-B", os.path.join(HERE, "..", "manuals", "run_document.py"), "--lesson", build,
             os.path.join(source, "README.md"), source, self.prefix, self.cc], self.environment)

    def build(self, name, language, *options):
        """consumer/sender.c by the flags of pkg-config."""
        program = os.path.join(self.scratch, name)
        compiler, suffix = ([self.cc, "-std=c11"], ".c") if language == "c" else ([self.cxx, "-std=c++17"], ".cc")
        shutil.copy(os.path.join(CONSUMER, "sender.c"), program + suffix)
        run([*compiler, "-Wall", "-Wextra", "-Werror", "-I", CONSUMER, *self.pkg_config("--cflags"), program + suffix, "-o",
             program, *options])
        return program

    def try_pkg_config(self, with_llvm):
        libs = self.pkg_config("--libs")
        static = ["-l:libtchains.a" if word == "-ltchains" else word for word in self.pkg_config("--static", "--libs")]
        function = None
        if with_llvm:
            function = "salute"
            clang, = self.pkg_config("--variable=tc_clang")
            run([clang, os.path.join(CONSUMER, "greet.c"), "--name=greet", "-lm", *self.pkg_config("--cflags"),
                 "-o", os.path.join(self.scratch, "salute.tca")])
        for language in ("c", "c++"):
            self.send(self.build("sender-" + language, language, *libs), function)
        self.send(self.build("sender-static", "c", *static), function)
        if with_llvm:
            # By the code engine, with the installed module and program.
            self.send(os.path.join(self.scratch, "sender-c"), function, {"TC_FORM": "bitcode"})

    def run_world(self, program):
        """A simulated world: an hour passes at once when the options of the link have arrived."""
        if WORLD_SAYS not in (said := run([program], self.environment)):
            sys.exit(f"{program} says {said}")

    def try_world(self):
        """A program in a simulated world, by tchains-sim.pc."""
        program = os.path.join(self.scratch, "world")
        run([self.cc, "-std=gnu11", "-Wall", "-Wextra", "-Werror", os.path.join(CONSUMER, "world.c"), "-o", program,
             *self.pkg_config("--cflags", "--libs", module="tchains-sim")])
        self.run_world(program)

    def try_addons(self):
        """A program for each library on top, by its .pc, which brings the library along."""
        for addon in ADDONS:
            program = os.path.join(self.scratch, addon)
            run([self.cc, "-std=gnu11", "-Wall", "-Wextra", "-Werror", os.path.join(CONSUMER, f"{addon}_of_one.c"), "-o", program,
                 *self.pkg_config("--cflags", "--libs", module=f"tchains-{addon}")])
            self.run_addon(addon, program)

    def run_addon(self, addon, program):
        if ADDONS[addon] not in (said := run([program], {**self.environment, "LD_LIBRARY_PATH": self.libraries})):
            sys.exit(f"{program} says {said}")

    def try_original(self):
        """A program for the original's API, by tchains-compat.pc: its header comes before UCX's own."""
        program = os.path.join(self.scratch, "original")
        run([self.cc, "-std=gnu11", "-Wall", "-Werror", os.path.join(CONSUMER, "original.c"), "-o", program,
             *self.pkg_config("--cflags", "--libs", module="tchains-compat")])
        run([program], {**self.environment, "LD_LIBRARY_PATH": self.libraries, "TC_LOG_LEVEL": "off"})

    def refuses_newer_headers(self):
        """A program that was compiled with headers of tomorrow."""
        newer = os.path.join(self.scratch, "newer")
        shutil.copytree(os.path.join(self.prefix, "include", "tc"), os.path.join(newer, "tc"))
        header = os.path.join(newer, "tc", "version.h")
        with open(header, encoding="utf-8") as file:
            text = file.read()
        with open(header, "w", encoding="utf-8") as file:
            file.write(text.replace("#define TC_VERSION_PATCH ", "#define TC_VERSION_PATCH 1"))
        program = os.path.join(self.scratch, "sender-newer")
        run([self.cc, "-std=c11", "-I", newer, os.path.join(CONSUMER, "sender.c"), "-o", program,
             *self.pkg_config("--libs")])
        out = run([program, "127.0.0.1:1"], {**self.environment, "LD_LIBRARY_PATH": self.libraries}, must_fail=True)
        own = run(["pkg-config", "--modversion", "tchains"], self.environment).strip()
        tomorrow = own.rsplit(".", 1)[0] + ".1" + own.rsplit(".", 1)[1]
        if "TC_E_VERSION" not in out or own not in out or tomorrow not in out:
            sys.exit(f"headers of {tomorrow} with a library of {own}: {out}")
