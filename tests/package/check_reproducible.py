#!/usr/bin/env python3
"""The same bytes from two folders of different lengths: the smallest library, shared and static, a program, and with a tc-clang
the archive of a function.

    check_reproducible.py SOURCE_FOLDER CMAKE C_COMPILER [TC_CLANG]
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

PARTS = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "am", "bindings", "bitcode-archive", "cmake", "compat", "docs/man", "include",
         "objects", "runtime", "scripts", "simulation", "steady", "tools")
OPTIONS = ("-DCMAKE_BUILD_TYPE=MinSizeRel", "-DTC_WITH_LLVM=OFF", "-DTC_MODULES=", "-DTC_SMALL=ON", "-DTC_BUILD_TESTS=OFF",
           "-DTC_WITH_TLS=OFF", "-DTC_WITH_PMIX=OFF", "-DTC_WITH_MPI=OFF", "-DCMAKE_INSTALL_PREFIX=/usr", "-DTC_INSTALL_DOCS=OFF")
TARGETS = ("tchains", "tchains_static", "tc-info")
# A cache of the compiler's output would give the first build's bytes to the second.
ALONE = {**os.environ, "CCACHE_DISABLE": "1", "SOURCE_DATE_EPOCH": "1750000000"}


def run(*command, folder=None):
    done = subprocess.run(command, cwd=folder, env=ALONE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1000, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-4000:]}")


def copy_tree(source, copy):
    for part in PARTS:
        path = os.path.join(source, part)
        os.makedirs(os.path.dirname(os.path.join(copy, part)), exist_ok=True)
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(copy, part), ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, os.path.join(copy, part))


def sums(folder):
    """The digests of what was built, by path."""
    found = {}
    for part, ends in (("lib", ".so"), ("runtime", ".a"), ("bin", "")):
        for name in sorted(os.listdir(os.path.join(folder, part))):
            path = os.path.join(folder, part, name)
            if os.path.isfile(path) and not os.path.islink(path) and ends in name and not name.endswith((".py", ".cmake")):
                with open(path, "rb") as file:
                    found[os.path.join(part, name)] = hashlib.sha256(file.read()).hexdigest()
    return found


def build(tree, folder, cmake, compiler):
    run(cmake, "-S", tree, "-B", folder, "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_C_COMPILER_LAUNCHER=", *OPTIONS)
    run(cmake, "--build", folder, "--target", *TARGETS)
    return sums(folder)


def archive(clang, folder):
    """A function that names its own file, with what a debugger reads."""
    os.makedirs(folder)
    source, out = os.path.join(folder, "named.c"), os.path.join(folder, "named.tca")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <assert.h>\n#include <stddef.h>\nvoid named_main(void *payload, size_t size, void *args);\n"
                   "void named_main(void *payload, size_t size, void *args)\n{\n    (void)payload, (void)args;\n"
                   "    assert(size < 100);\n}\n")
    run(clang, "named.c", "-o", "named.tca", folder=folder)
    with open(out, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def main():
    source, cmake, compiler = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        first, second = os.path.join(folder, "a"), os.path.join(folder, "another", "folder", "further", "below")
        for tree in (first, second):
            copy_tree(source, tree)
        # One builds in the tree, the other beside it.
        found = [build(first, os.path.join(first, "build"), cmake, compiler), build(second, os.path.join(folder, "b"), cmake, compiler)]
        if sys.argv[4:]:
            for index, tree in enumerate((first, second)):
                found[index]["named.tca"] = archive(os.path.abspath(sys.argv[4]), os.path.join(tree, "function"))
        differing = sorted(path for path in set(found[0]) | set(found[1]) if found[0].get(path) != found[1].get(path))
        if differing or not any(path.endswith(".a") for path in found[0]):
            sys.exit(f"of {sorted(found[0])} differ: {differing}")
        print(*(f"{digest[:16]}  {path}" for path, digest in sorted(found[0].items())), sep="\n")


if __name__ == "__main__":
    main()
