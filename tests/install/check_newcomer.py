#!/usr/bin/env python3
"""After README's first command, in a shell with README's PATH: install, build a project outside of the tree, uninstall.

    check_newcomer.py ROOT BUILD_FOLDER CMAKE C_COMPILER

The build that is there stands for the one that scripts/demo.sh makes: the targets that it names have to make every file that
an installation takes.
"""
import glob
import os
import re
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import install_records  # noqa: E402
from installation import run

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(counter LANGUAGES C)
find_package(tchains REQUIRED)
add_executable(counter counter.c)
target_link_libraries(counter PRIVATE tchains::tchains)
if(tchains_TC_CLANG)
  tc_add_ifunc(count SOURCES count.c)
endif()
"""
COUNTER = """#include <stdio.h>
#include <tc/status.h>
int main(void) { puts(tc_status_text(TC_OK)); return 0; }
"""
COUNT = """#include <tc/entry.h>
void count_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
}
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_demo_builds_all(root, build):
    """Files of an installation that scripts/demo.sh would not build, from ninja's graph."""
    with open(os.path.join(root, "scripts", "demo.sh"), encoding="utf-8") as file:
        targets, = re.findall(r'^scripts/build\.sh "\$build" --target (.+)$', file.read(), re.MULTILINE)
    graph = run(["ninja", "-C", build, "-t", "graph", *targets.split()])
    made = {os.path.normpath(os.path.join(build, path)) for path in re.findall(r'\[label="([^"]+)"', graph)}
    with open(os.path.join(build, "installed_files.txt"), encoding="utf-8") as file:
        checked = set(file.read().split("\n")) - {""}
    if lacking := sorted(checked - made):
        sys.exit(f"scripts/demo.sh ({targets}) does not build: {lacking}")
    # The files that the installation's own scripts name, in the build, and copy without a check: the list above
    # must be complete.
    taken = set()
    others = tuple(os.path.dirname(cache) + os.sep for cache in glob.glob(os.path.join(build, "*", "**", "CMakeCache.txt"), recursive=True))
    for script in glob.glob(os.path.join(build, "**", "cmake_install.cmake"), recursive=True):
        if script.startswith(others):  # a test has made another build in this folder
            continue
        with open(script, encoding="utf-8") as file:
            text = re.sub(r"file\(INSTALL [^)]* OPTIONAL[^)]*\)", "", file.read())
        for words in re.findall(r"file\(INSTALL ([^)]*)\)", text):
            taken.update(path for path in re.findall(r'"([^"]+)"', words) if path.startswith(build + os.sep))
    # Configuring makes these, and a link to a library is there with it.
    with_build = {path for path in taken if not os.path.islink(path) and "/to-install/" not in path
                  and not path.endswith((".pc", ".py")) and "/CMakeFiles/" not in path}
    real = {os.path.realpath(path) for path in checked}
    if missed := sorted(path for path in with_build if os.path.realpath(path) not in real):
        sys.exit(f"an installation takes what it does not look for first (tc_installed): {missed}")


def check_unbuilt(build, cmake, prefix):
    """With a file missing nothing is begun."""
    path = sorted(glob.glob(os.path.join(build, "completions", "*.bash")))[0]
    os.rename(path, path + ".away")
    try:
        said = run([cmake, "--install", build, "--prefix", prefix], must_fail=True)
    finally:
        os.rename(path + ".away", path)
    if "--target installed" not in said or os.path.exists(prefix):
        sys.exit(f"an installation of what is not built left {glob.glob(prefix + '/*')}, and said\n{said}")


def check_project(cmake, folder, prefix, environment, cc):
    """Configured first before there is an installation: no other configuration is found or remembered."""
    for name, text in ("CMakeLists.txt", PROJECT), ("counter.c", COUNTER), ("count.c", COUNT):
        write(os.path.join(folder, name), text)
    configure = [cmake, "-S", folder, "-B", os.path.join(folder, "by-cmake"), f"-DCMAKE_C_COMPILER={cc}"]
    said = " ".join(run(configure, environment, must_fail=True).split())
    if 'configuration file provided by "tchains"' not in said:
        sys.exit(f"find_package found something before anything was installed:\n{said}")
    yield
    run([*configure, f"-DCMAKE_PREFIX_PATH={prefix}"], environment)
    run([cmake, "--build", configure[4]], environment)
    with_cmake = run([os.path.join(configure[4], "counter")], environment)
    environment = {**environment, "PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
    flags = run(["pkg-config", "--cflags", "--libs", "tchains"], environment).split()
    program = os.path.join(folder, "counter")
    run([cc, program + ".c", "-o", program, *flags, f"-Wl,-rpath,{prefix}/lib"], environment)
    if with_cmake != run([program], environment):
        sys.exit(f"the programs by CMake and pkg-config differ: {with_cmake}")


def main():
    root, build, cmake, cc = sys.argv[1:]
    check_demo_builds_all(root, build)
    environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}"}
    for name in ("LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH"):
        environment.pop(name, None)
    with tempfile.TemporaryDirectory() as folder, install_records.kept(build):
        prefix, project = os.path.join(folder, "prefix"), os.path.join(folder, "project")
        os.mkdir(project)
        check_unbuilt(build, cmake, prefix)
        steps = check_project(cmake, project, prefix, environment, cc)
        next(steps)
        run([cmake, "--install", build, "--prefix", prefix], environment)
        for _ in steps:
            pass
        run([cmake, "--build", build, "--target", "uninstall"], environment)
        if os.path.exists(prefix):
            sys.exit(f"after uninstall: {[path for path, _, _ in os.walk(prefix)]}")


if __name__ == "__main__":
    main()
