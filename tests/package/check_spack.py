#!/usr/bin/env python3
"""Spack's recipe, with a stand-in for Spack: it can be read, and sets only options that CMake
knows.

    check_spack.py SOURCE_FOLDER
"""
import contextlib
import os
import re
import sys
import types
import unittest.mock


class Recorder:
    """Spack's words for packages: a recipe's statements with them are kept."""

    def __init__(self):
        self.said = []
        self.module = types.ModuleType("spack.package")
        for name in ("license", "version", "variant", "depends_on", "conflicts", "requires", "generator"):
            setattr(self.module, name, self.word(name))
        for name in ("when", "default_args"):
            setattr(self.module, name, lambda *_, **__: contextlib.nullcontext())
        self.module.CMakePackage = type("CMakePackage", (), {
            "define": staticmethod(lambda name, value: (name, value)),
            "define_from_variant": staticmethod(lambda name, variant: (name, variant)),
            "run_tests": False, "spec": unittest.mock.MagicMock()})

    def word(self, name):
        return lambda *values, **_: self.said.append((name, values))

    def named(self, name):
        return [values[0] for word, values in self.said if word == name]


def load(path, recorder):
    modules = {"spack": types.ModuleType("spack"), "spack.package": recorder.module}
    with unittest.mock.patch.dict(sys.modules, modules), open(path, encoding="utf-8") as file:
        names = {"__file__": path}
        exec(compile(file.read(), path, "exec"), names)  # pylint: disable=exec-used
    return names["ThreeChains"]()


def cache_variables(root):
    """The options that -D may set."""
    found = set()
    for folder in (root, os.path.join(root, "cmake")):
        for name in os.listdir(folder):
            if name == "CMakeLists.txt" or name.endswith(".cmake"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found |= set(re.findall(r"\b(?:option|find_program|set)\((\w+)\b", file.read()))
    return found


def main():
    root = sys.argv[1]
    recorder = Recorder()
    recipe = load(os.path.join(root, "packaging", "spack", "package.py"), recorder)
    settings = [name for name, _ in recipe.cmake_args()]
    unknown = sorted(set(settings) - cache_variables(root))
    if unknown or "TC_WITH_LLVM" not in settings:
        sys.exit(f"the recipe sets {settings}, of which CMake does not know {unknown}")
    needed = {text.split("@")[0].split(" ")[0] for text in recorder.named("depends_on")}
    for package in ("ucx", "zstd", "libsodium", "llvm", "elfutils", "jansson", "cmake", "python"):
        if package not in needed:
            sys.exit(f"the recipe depends on {sorted(needed)}, not on {package}")
    print(f"{len(settings)} settings, {len(needed)} dependencies")


if __name__ == "__main__":
    main()
