#!/usr/bin/env python3
"""The README's example, done as it says: compile the function, start a target, run the sender.

    check_readme.py README C_COMPILER INCLUDE_FOLDER LIBRARY TC_CLANG TC_NODE
"""
import os
import re
import subprocess
import sys
import tempfile

from node_process import Node, clean_environment


def main():
    readme, cc, include_folder, library, tc_clang, tc_node = sys.argv[1:7]
    with open(readme, encoding="utf-8") as file:
        function, sender = re.findall(r"^```c\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)[:2]
    libraries = os.path.dirname(library)
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "out"), "w+", encoding="utf-8") as out:
        for name, text in (("count.c", function), ("sender.c", sender)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        with Node(tc_node, out) as node:
            with open(os.path.join(folder, "sender.c"), "w", encoding="utf-8") as file:
                file.write(sender.replace("127.0.0.1:7000", node.address))
            for command in ([tc_clang, "count.c", "-o", "count.tca", "-I", include_folder],
                            [cc, *sys.argv[7:], "-std=c11", "sender.c", "-o", "sender", "-I", include_folder, library,
                             f"-Wl,-rpath,{libraries}"],
                            ["./sender"], ["./sender"]):
                subprocess.run(command, cwd=folder, env=clean_environment(), stdin=subprocess.DEVNULL, timeout=60,
                               check=True)
        out.seek(0)
        lines = out.read()
    print(lines)
    return 0 if "1: hello\n2: hello\n" in lines else 1


if __name__ == "__main__":
    sys.exit(main())
