"""A project with a struct shared by program and function. Its header changes; the rebuilt parts have to agree."""
import os
import re
import shutil
import sys

from installation import HERE, run

SOURCES = {"stale_sender.c": "sender.c", "stale_greet.c": "greet.c", "greeting.h": "greeting.h"}


def make_project(folder, more):
    """Its sources, and `more`: names to texts."""
    os.mkdir(folder)
    for name, there in SOURCES.items():
        shutil.copy(os.path.join(HERE, "stale", name), os.path.join(folder, there))
    for name, text in more.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def widen(folder):
    """The struct gets a member in front: code that still has the old one reads another number."""
    header = os.path.join(folder, "greeting.h")
    with open(header, encoding="utf-8") as file:
        text = file.read()
    with open(header, "w", encoding="utf-8") as file:
        file.write(text.replace("    int number;", '#include "room.h"\n    int number;'))
    with open(os.path.join(folder, "room.h"), "w", encoding="utf-8") as file:
        file.write("long room;\n")


def narrow(folder):
    """And loses it again, with the header that had it: no build may want that one still."""
    shutil.copy(os.path.join(HERE, "stale", "greeting.h"), folder)
    os.remove(os.path.join(folder, "room.h"))


def check(installation, project, build, program, forgets):
    """build() makes program. Each state of the header is built, sent, and built again for nothing. forgets: that holds also for
    the last one, when a header is gone."""
    made = [os.path.join(os.path.dirname(program), name) for name in ("sender", "greet.tca")]
    expected = "42 in 4 bytes of 4\n", "42 in 16 bytes of 16\n", "42 in 4 bytes of 4\n"
    for change, said in zip((None, widen, narrow), expected):
        if change:
            change(project)
        build()
        installation.send(program, None, folder=os.path.dirname(program), expected=said)
        before = [os.stat(path).st_mtime_ns for path in made]
        again = build()
        if before != [os.stat(path).st_mtime_ns for path in made] and (forgets or change is not narrow):
            sys.exit(f"{project}: {', '.join(made)}: built again though nothing had changed "
                     f"({change.__name__ if change else 'as it was copied'}):\n{again}")


def by_cmake(installation, cmake, generator, language):
    """With a space in the path, as users have them. CMake's makefiles (3.25) remember of a custom command also headers that are
    gone, and run it each time. The linker's list of files has such spaces unescaped, and CMake (3.31) links each time."""
    name = f"stale by {generator} {language}"
    project, build = (os.path.join(installation.scratch, name + suffix) for suffix in ("", " build"))
    with open(os.path.join(HERE, "stale", "CMakeLists.txt"), encoding="utf-8") as file:
        make_project(project, {"CMakeLists.txt": file.read()})
    run([cmake, "-G", generator, "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={installation.prefix}",
         f"-DSTALE_LANGUAGE={language}", "-DCMAKE_LINK_DEPENDS_USE_LINKER=OFF"], installation.environment)
    check(installation, project, lambda: run([cmake, "--build", build], installation.environment),
          os.path.join(build, "sender"), generator == "Ninja")


def by_make(installation, document):
    """With the makefile that the document shows, for another function."""
    with open(document, encoding="utf-8") as file:
        makefile, = re.findall(r"^```make Makefile\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    project = os.path.join(installation.scratch, "stale-by-make")
    make_project(project, {"Makefile": makefile.replace("count", "greet")})
    check(installation, project, lambda: run(["make", "-C", project], installation.environment),
          os.path.join(project, "sender"), True)
