#!/usr/bin/env python3
"""Another version of the library beside this one, built where little is as it should be: the tree cannot be written to, all
folders have spaces in their names, there is no home, and the locale is C.

    check_second_version.py SOURCE_FOLDER BUILD_FOLDER CMAKE C_COMPILER CXX_COMPILER
"""
import itertools
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "install"), os.path.join(HERE, "..", "layout"), os.path.join(HERE, "..", "..", "scripts")]
from check_debian import copy_tree  # noqa: E402
import install_records  # noqa: E402
from installation import CONSUMER, Installation, run  # noqa: E402
from source_tree import walk  # noqa: E402


def change(path, *changes):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for old, new in changes:
        text, count = re.subn(old, new, text)
        if not count:
            sys.exit(f"{path}: no {old}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def state(tree):
    return {path: os.stat(os.path.join(tree, path)).st_mtime_ns for path in walk(tree)}


class Versions:
    """The one in BUILD_FOLDER, and the next minor version, of another soname."""

    def __init__(self, folder, source, build, cmake):
        self.folder, self.source, self.cmake = folder, source, cmake
        self.builds = [build, self.path("another build")]
        with open(os.path.join(source, "include/tc/version.h"), encoding="utf-8") as file:
            major, minor = re.search(r'VERSION_STRING "(\d+)\.(\d+)', file.read()).groups()
        self.numbers = [f"{major}.{minor}", f"{major}.{int(minor) + 1}"]
        with open(os.path.join(source, "CMakeLists.txt"), encoding="utf-8") as file:
            soname = int(re.search(r"TC_SOVERSION (\d+)", file.read()).group(1))
        self.sonames = [soname, soname + 1]

    def path(self, name):
        return os.path.join(self.folder, name)

    def prefix(self, number):
        return self.path(f"prefix of {number}")

    def make_tree(self, tree):
        copy_tree(self.source, tree)
        minor = self.numbers[1].split(".")[1]
        change(os.path.join(tree, "include/tc/version.h"), (r"(VERSION_MINOR) \d+", rf"\1 {minor}"),
               (r'(VERSION_STRING) "\d+\.\d+', rf'\1 "{self.numbers[1]}'))
        change(os.path.join(tree, "CMakeLists.txt"), (r"(TC_SOVERSION) \d+", rf"\1 {self.sonames[1]}"))
        for name in ("runtime/tchains.map", "compat/compat.map"):
            change(os.path.join(tree, name), (r"(?m)^(TCHAINS\w*)_\d+", rf"\1_{self.sonames[1]}"))
        run(["chmod", "-R", "a-w", tree])

    def build(self):
        """root may write to read-only files, so the tree is compared afterwards as well."""
        tree = self.path("another tree")
        self.make_tree(tree)
        bare = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        before = state(tree)
        run([self.cmake, "-S", tree, "-B", self.builds[1], "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DTC_WITH_LLVM=OFF", "-DTC_BUILD_TESTS=OFF"], bare)
        run([self.cmake, "--build", self.builds[1]], bare | {"HOME": self.path("no home")})
        changed = state(tree).items() ^ before.items()
        if changed or os.path.exists(self.path("no home")):
            sys.exit(f"building wrote into the source tree, or made a home: {sorted(changed)}")
        run(["chmod", "-R", "u+w", tree])

    def install(self):
        for build, number in zip(self.builds, self.numbers):
            run([self.cmake, "--install", build, "--prefix", self.prefix(number)])
            run([self.cmake, "--install", build, "--prefix", self.prefix("both"), "--component", "runtime"])

    def check_find_package(self, cc, cxx):
        """Whichever comes first, the version that is asked for is taken. Gives the folders in which it was."""
        builds = {}
        environment = {**os.environ, "CC": cc, "CXX": cxx}
        for order, number in itertools.product((self.numbers, self.numbers[::-1]), self.numbers):
            builds[number] = self.path(f"{number} of {' and '.join(order)}")
            run([self.cmake, "-S", CONSUMER, "-B", builds[number], f"-DCONSUMER_WANTS={number}",
                 "-DCMAKE_PREFIX_PATH=" + ";".join(self.prefix(each) for each in order)], environment)
            with open(os.path.join(builds[number], "CMakeCache.txt"), encoding="utf-8") as file:
                if f"tchains_DIR:PATH={self.prefix(number)}/" not in file.read():
                    sys.exit(f"find_package(tchains {number}) did not take {self.prefix(number)}")
        return builds

    def check_programs(self, builds, arguments):
        """Each has its own library, where both lie in one folder, and they understand one another."""
        os.mkdir(self.path("scratch"))
        both = Installation(self.prefix("both"), self.path("scratch"), *arguments, module_files=False)
        for (number, build), soname in zip(builds.items(), self.sonames):
            run([self.cmake, "--build", build, "--target", "sender_c"])
            program = os.path.join(build, "sender_c")
            libraries = run(["ldd", program], {**os.environ, "LD_LIBRARY_PATH": both.libraries})
            if f"{both.libraries}/libtchains.so.{soname} " not in libraries or libraries.count("libtchains.so") != 2:
                sys.exit(f"a program of {number} gets\n{libraries}")
            for other in self.numbers:
                target = Installation(self.prefix(other), self.path("scratch"), *arguments)
                target.libraries = both.libraries
                target.send(program, None)


def main():
    source, build, cmake, *compilers = sys.argv[1:]
    with tempfile.TemporaryDirectory(suffix=" with spaces") as folder, install_records.kept(build):
        versions = Versions(folder, source, build, cmake)
        versions.build()
        versions.install()
        builds = versions.check_find_package(*compilers)
        versions.check_programs({number: builds[number] for number in versions.numbers}, compilers)
    print(f"{' and '.join(versions.numbers)}: built, installed and used side by side")


if __name__ == "__main__":
    main()
