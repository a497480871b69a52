#!/usr/bin/env python3
"""The recipes of conda and EasyBuild, and the layout for OSS-Fuzz: they can be read, name this version, the libraries that CMake
asks for, and only options that it knows.

    check_recipes.py SOURCE_FOLDER
"""
import glob
import os
import re
import sys

from check_spack import cache_variables

try:
    import yaml
except ImportError:
    print("no parser of YAML: package python3-yaml")
    sys.exit(77)

# Libraries as CMake, conda and EasyBuild name them; each recipe has to have all.
LIBRARIES = {"ucx": "UCX", "zstd": "zstd", "libsodium": "libsodium", "openssl": "OpenSSL", "elfutils": "elfutils", "jansson": "Jansson"}
TOOLS = {"cmake": "CMake", "ninja": "Ninja", "python": "Python"}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def must(condition, text):
    if not condition:
        sys.exit(text)


def check_options(name, text, known):
    options = set(re.findall(r"-D(\w+)=", text))
    unknown = sorted(option for option in options if not option.startswith("CMAKE_") and option not in known)
    must(options and not unknown, f"{name} sets {unknown}, which CMake does not know")


def minimum(found, needed):
    """Whether a version that a recipe names is at least the one that CMake asks for."""
    return [int(part) for part in re.findall(r"\d+", found)] >= [int(part) for part in re.findall(r"\d+", needed)]


def needed_versions(root):
    """The lowest versions in the tree's own build."""
    modules = dict(re.findall(r"\b(ucx|openssl)>=([\d.]+)", read(root, "cmake/TcDependencies.cmake")))
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", read(root, "CMakeLists.txt"))[1]
    return {**modules, "cmake": cmake}


def llvm_range(root):
    text = read(root, "cmake/TcLlvm.cmake")
    return [int(re.search(rf"^set\(tc_llvm_{end} (\d+)\)$", text, re.MULTILINE)[1]) for end in ("min", "max")]


def check_conda(root, version, known):
    text = read(root, "packaging/conda/meta.yaml")
    settings = dict(re.findall(r'\{% set (\w+) = "(.*?)" %\}', text))
    plain = re.sub(r"\{\{ (\w+) \}\}", lambda found: settings[found[1]], re.sub(r"\{%.*?%\}", "", text))
    recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "compiler", plain))
    must(recipe["package"] == {"name": "three-chains", "version": version}, f"meta.yaml is of {recipe['package']}, expected {version}")
    wanted = {line.split()[0]: line for part in ("build", "host") for line in recipe["requirements"][part]}
    must(set(LIBRARIES) | set(TOOLS) <= set(wanted), f"meta.yaml has not {sorted((set(LIBRARIES) | set(TOOLS)) - set(wanted))}")
    for name, lowest in needed_versions(root).items():
        must(minimum(wanted[name], lowest), f"meta.yaml has '{wanted[name]}', and CMake needs {lowest}")
    lowest, highest = llvm_range(root)
    must(lowest <= int(settings["llvm"]) <= highest, f"meta.yaml takes LLVM {settings['llvm']}, expected {lowest} to {highest}")
    must(recipe["about"]["license"] == "BSD-3-Clause", f"meta.yaml has the licence {recipe['about']['license']}")
    must(os.path.exists(os.path.join(root, recipe["about"]["license_file"])), "meta.yaml names a licence file that is not there")
    must(os.path.samefile(os.path.join(root, "packaging/conda", recipe["source"]["path"]), root), "meta.yaml builds another folder")
    check_options("meta.yaml", text, known)
    for script in recipe["build"]["script"]:
        must(script.startswith("cmake "), f"meta.yaml runs '{script}'")


def check_easybuild(root, version, known):
    path, = glob.glob(os.path.join(root, "packaging/easybuild/*.eb"))
    recipe = {"SYSTEM": {"name": "system", "version": "system"}}
    exec(compile(read(path), path, "exec"), recipe)  # pylint: disable=exec-used
    toolchain = recipe["toolchain"]
    expected = f"{recipe['name']}-{recipe['version']}-{toolchain['name']}-{toolchain['version']}.eb"
    must(os.path.basename(path) == expected, f"{os.path.basename(path)} is named otherwise than its contents, {expected}")
    must((recipe["name"], recipe["version"]) == ("three-chains", version), f"{expected} is not of {version}")
    must([text % recipe for text in recipe["sources"]] == [f"three-chains-{version}.tar.gz"], f"{expected} takes {recipe['sources']}")
    wanted = {row[0]: row[1] for row in recipe["builddependencies"] + recipe["dependencies"]}
    missing = (set(LIBRARIES.values()) | set(TOOLS.values())) - set(wanted)
    must(not missing, f"{expected} has not {sorted(missing)}")
    for name, lowest in needed_versions(root).items():
        found = wanted[{**LIBRARIES, **TOOLS}[name]]
        must(minimum(found, lowest), f"{expected} has {name} {found}, and CMake needs {lowest}")
    llvm = re.search(r"-DTC_LLVM_VERSION=(\d+)", recipe["configopts"])[1]
    lowest, highest = llvm_range(root)
    must(lowest <= int(llvm) <= highest and wanted["Clang"].startswith(llvm + "."), f"{expected} takes LLVM {llvm} by Clang {wanted['Clang']}")
    check_options(expected, recipe["configopts"], known)
    for name in recipe["sanity_check_paths"]["files"]:
        must(name.startswith("bin/tc-") or os.path.exists(os.path.join(root, name)), f"{expected} expects {name}")


def check_oss_fuzz(root):
    project = yaml.safe_load(read(root, "packaging/oss-fuzz/project.yaml"))
    must(project["language"] == "c" and "libfuzzer" in project["fuzzing_engines"], f"project.yaml: {project}")
    image = read(root, "packaging/oss-fuzz/Dockerfile")
    for source in re.findall(r"^COPY (\S+) ", image, re.MULTILINE):
        must(os.path.exists(os.path.join(root, source)), f"Dockerfile copies {source}, which is not there")
    script = read(root, "packaging/oss-fuzz/build.sh")
    names = re.search(r"fuzzers=\((cache_entry[^)]*)\)", script)[1].split()
    for name in names:
        must(os.path.exists(os.path.join(root, f"tests/fuzz/{name}_fuzzer.c")), f"build.sh builds {name}, which is no fuzzer")
    for library in re.findall(r"-l(zstd|sodium)\b", script):
        must(f"lib{library}-dev" in image, f"Dockerfile installs no lib{library}-dev")


def main():
    root = sys.argv[1]
    version = re.search(r'TC_VERSION_STRING "(.*)"', read(root, "include/tc/version.h"))[1]
    known = cache_variables(root)
    check_conda(root, version, known)
    check_easybuild(root, version, known)
    check_oss_fuzz(root)
    print(f"conda, EasyBuild and OSS-Fuzz: {version}")


if __name__ == "__main__":
    main()
