"""The sources of the one-file library, from the lists by which CMake builds the library."""
import os
import re

# It has no module that links another library: UCX, libsodium's signatures, libzstd's dictionaries.
LEFT_OUT = ("dictionaries", "trust", "ucx")
STAND_INS = "packaging/onefile"
# Files of that folder that stand for one of the library's.
REPLACED = {"bitcode-archive/archive_pack.c": "onefile_pack.c", "bitcode-archive/archive_dictionary.c": "onefile_dictionary.c"}
# The module trust needs it, without having it among its sources.
SIGNATURES = "runtime/base/minisign.c"
CALL = re.compile(r"^(add_library|tc_module)\(([^)]*)\)", re.MULTILINE)


def words_of(text):
    return re.sub(r"#[^\n]*", "", text).split()


def module_sources(words):
    """The sources of tc_module(NAME [PLAIN] [TARGET t] [NEEDS m...] [WITHOUT f] SOURCES a.c ...)."""
    if words[0] not in LEFT_OUT:
        return words[words.index("SOURCES") + 1:]
    return [words[words.index("WITHOUT") + 1]] if "WITHOUT" in words else []


def in_tree(folder, name):
    """A source's path below the tree."""
    name = name.replace("${CMAKE_CURRENT_SOURCE_DIR}", folder)
    return name if name.startswith(folder) else os.path.join(folder, name)


def listed(tree):
    """The paths of the library's sources without the modules left out, and the names of the modules that attach."""
    paths, modules = [], []
    for folder, target in (("runtime", "tc_objects"), ("bitcode-archive", "tc_archive_objects")):
        with open(os.path.join(tree, folder, "CMakeLists.txt"), encoding="utf-8") as file:
            text = re.sub(r"\$\{(?!CMAKE_CURRENT_SOURCE_DIR)[^}]*\}", "", file.read())
        for command, arguments in CALL.findall(text):
            words = words_of(arguments)
            if command == "tc_module":
                if words[0] not in LEFT_OUT and "PLAIN" not in words:
                    modules.append(words[0])
                paths += [in_tree(folder, name) for name in module_sources(words)]
            elif words[:2] == [target, "OBJECT"]:
                paths += [in_tree(folder, name) for name in words[2:]]
    return list(dict.fromkeys(paths)), modules


def sources(tree):
    """The paths of all sources of the one-file library in a stable order, and the names of the modules that attach."""
    paths, modules = listed(tree)
    own = sorted(name for name in os.listdir(os.path.join(tree, STAND_INS)) if name.endswith(".c"))
    lost = sorted((set(REPLACED) | {SIGNATURES}) - set(paths)) + sorted(set(REPLACED.values()) - set(own))
    if lost:
        raise SystemExit(f"amalgamate: {lost} are not where they were")
    kept = [path for path in paths if path != SIGNATURES and path not in REPLACED]
    return kept + [f"{STAND_INS}/{name}" for name in own], modules


def modules_line(modules):
    return "#define TCI_MODULES_BUILT(X) " + " ".join(f"X({name})" for name in modules)

