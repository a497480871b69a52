#!/usr/bin/env python3
"""packaging/Containerfile without a container: its packages are those of install-deps.sh, the files that it copies are enough for
its configuration and build, and the node knows its arguments.

    check_containerfile.py SOURCE_FOLDER CMAKE
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from check_spack import cache_variables

KNOWN = {"FROM", "RUN", "COPY", "USER", "ENV", "EXPOSE", "ENTRYPOINT", "CMD"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def instructions(text):
    """[(word, rest)], continued lines joined."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def stages(said):
    found = []
    for word, rest in said:
        if word not in KNOWN:
            sys.exit(f"'{word}': expected one of {' '.join(sorted(KNOWN))}")
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


def packages(stage):
    for word, rest in stage:
        if word == "RUN" and "apt-get install" in rest:
            listed = rest.split("--no-install-recommends", 1)[1].split("&&")[0]
            return listed.split()
    sys.exit("a stage installs nothing")


def check_packages(root, build, run):
    listed = read(os.path.join(root, "scripts", "install-deps.sh")).split("test_packages=", 1)[0]
    unknown = [name for name in packages(build) if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", listed)]
    if unknown:
        sys.exit(f"scripts/install-deps.sh does not install {' '.join(unknown)}")
    # Where the machine is that of the image, it knows the names of libraries, too.
    if "VERSION_CODENAME=bookworm" not in read("/etc/os-release") or not shutil.which("dpkg-query"):
        return
    for name in packages(run):
        subprocess.run(["dpkg-query", "-W", name], check=True, stdout=subprocess.DEVNULL)


def check_build(root, cmake, build, folder):
    """Configures the copied files; the file's own commands, with other folders."""
    source, made = os.path.join(folder, "source"), os.path.join(folder, "build")
    for word, rest in build:
        if word == "COPY":
            *what, where = rest.split()
            for name in what:
                copied, target = os.path.join(root, name), where.replace("/source", source, 1)
                if os.path.isdir(copied):
                    shutil.copytree(copied, target)
                else:
                    os.makedirs(target, exist_ok=True)
                    shutil.copy2(copied, target)
    command, = [rest for word, rest in build if word == "RUN" and rest.startswith("cmake ")]
    if "cmake --build /build && DESTDIR=/installed cmake --install /build" not in command:
        sys.exit("the build is not built and installed as expected")
    arguments = shlex.split(command.split("&&")[0].replace("$(uname -m)", os.uname().machine))
    settings = [argument[2:].split("=")[0] for argument in arguments if argument.startswith("-DTC_")]
    unknown = sorted(set(settings) - cache_variables(root))
    if unknown:
        sys.exit(f"CMake knows no {' '.join(unknown)}")
    arguments = [{"cmake": cmake, "/source": source, "/build": made}.get(argument, argument) for argument in arguments]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"what is copied cannot be configured:\n{done.stdout.strip()[-4000:]}")
    told = subprocess.run(["ninja", "-C", made, "-t", "inputs", "all"], stdout=subprocess.PIPE, text=True, check=True)
    named = told.stdout.splitlines()
    for path, _, files in os.walk(made):
        if "cmake_install.cmake" in files:
            named += re.findall(re.escape(source) + r'/[^";\n]*', read(os.path.join(path, "cmake_install.cmake")))
    missing = sorted({path for path in named if path.startswith(source) and not os.path.exists(path)})
    if missing:
        sys.exit(f"not copied: {' '.join(os.path.relpath(path, source) for path in missing)}")


def check_node(root, run):
    said = dict(run)
    options = read(os.path.join(root, "docs", "options.md"))
    for setting in said["ENV"].split():
        name = setting.split("=")[0]
        if f"`{name}`" not in options:
            sys.exit(f"ENV: no option {name}")
    tool, *_ = json.loads(said["ENTRYPOINT"])
    known = read(os.path.join(root, "docs", "man", f"{tool}.1.md"))
    for argument in json.loads(said["CMD"]):
        if argument.startswith("--") and argument not in known:
            sys.exit(f"CMD: {tool} has no {argument}")
    copied = [rest for word, rest in run if word == "COPY"]
    if copied != ["--from=build /installed/usr/local /usr/local"]:
        sys.exit(f"the second stage copies {copied}")


def main():
    root, cmake = sys.argv[1:]
    build, run = stages(instructions(read(os.path.join(root, "packaging", "Containerfile"))))
    if not build[0][1].endswith(" AS build") or build[0][1].split()[0] != run[0][1]:
        sys.exit("expected two stages of one image, the first AS build")
    check_packages(root, build, run)
    with tempfile.TemporaryDirectory() as folder:
        check_build(root, cmake, build, folder)
    check_node(root, run)
    print(f"{len(packages(build))} and {len(packages(run))} packages, all known; what is copied is enough")


if __name__ == "__main__":
    main()
