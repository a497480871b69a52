#!/usr/bin/env python3
"""Makes one object of release 0.1.0's sources, with symbols that have the prefix old_.

    build_old.py ROOT COMMIT FOLDER OUTPUT OBJCOPY CMAKE CC FLAG...

The sources are those of COMMIT in the history of ROOT, and go to FOLDER.
"""
import concurrent.futures
import io
import os
import re
import subprocess
import sys
import tarfile

root, commit, folder, output, objcopy, cmake, *compiler = sys.argv[1:]
# Replaced by old_engine.c and old_ucx.c, as parts of the simulator or of UCX.
REPLACED = re.compile(r"delivery/(ucx_\w+|link_ucx|link_puts|worker|pages)[.]c|base/(fork_guard|live_process)[.]c|"
                      r"bootstrap/(host_id|socket_user)[.]c")
FLAGS = f"{folder}/flags"  # of the objects that are there
# Headers of that release alone.
INCLUDED = {"old_ucx.c": ("link_puts.h", "ucx_address.h", "ucx_rkey.h", "worker_private.h")}
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(cmake_list, target):
    return re.search(rf"add_library\({target} OBJECT\n(.*?)\)", read(cmake_list), re.DOTALL).group(1).split()


def is_made(made, sources):
    return os.path.exists(made) and all(os.path.getmtime(made) > os.path.getmtime(source) for source in sources)


def compile_one(source, name, headers=()):
    made = os.path.join(folder, "objects", name.replace("/", "_") + ".o")
    if is_made(made, (source, FLAGS, *headers)):
        return made
    included = [word for header in INCLUDED.get(name, ()) for word in ("-include", f"delivery/{header}")]
    run(*compiler, *included, "-w", "-I", f"{folder}/include", "-I", f"{folder}/runtime", "-I", f"{folder}/bitcode-archive",
        "-I", os.path.dirname(HERE), "-I", HERE, "-c", source, "-o", made)
    return made


def names(kind, files):
    lines = run("nm", kind, *files).decode().splitlines()
    return {line.split()[-1] for line in lines if re.fullmatch(r"[0-9a-f]+ [A-Z] \S+", line)}


os.makedirs(f"{folder}/objects", exist_ok=True)
flags = "\n".join((commit, *compiler))
if not os.path.exists(FLAGS) or read(FLAGS) != flags:
    with open(FLAGS, "w", encoding="utf-8") as file:
        file.write(flags)
archive = run("git", "-C", root, "archive", commit, "include", "runtime", "bitcode-archive")
with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
    tar.extractall(folder)
run(cmake, f"-DFOLDER={folder}/bitcode-archive/dictionaries", f"-DOUT={folder}/bitcode-archive/dictionary_files.c", "-P",
    f"{folder}/bitcode-archive/embed_dictionaries.cmake")
jobs = []
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for part, target in (("runtime", "tc_objects"), ("bitcode-archive", "tc_archive_objects")):
        for name in sources(f"{folder}/{part}/CMakeLists.txt", target):
            if not REPLACED.fullmatch(name):
                jobs.append(pool.submit(compile_one, f"{folder}/{part}/{name}", name))
    for name in ("old_engine.c", "old_ucx.c", "old_peer.c"):
        jobs.append(pool.submit(compile_one, f"{HERE}/{name}", name, (f"{HERE}/old_peer.h", f"{HERE}/../flows.h")))
objects = [job.result() for job in jobs]
joined = f"{folder}/joined.o"
run(compiler[0], "-r", "-nostdlib", "-o", joined, *objects)
with open(f"{folder}/names", "w", encoding="utf-8") as file:
    for symbol in sorted(names("--defined-only", [joined])):
        if not symbol.startswith("old_"):
            file.write(f"{symbol} old_{symbol}\n")
run(objcopy, f"--redefine-syms={folder}/names", joined, output)
