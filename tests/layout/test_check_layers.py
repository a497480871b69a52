#!/usr/bin/env python3
"""The layer check must find mistakes: small trees with one mistake each."""
import os
import tempfile
import unittest

import check_layers

TABLE = """
## Layers

Words before the table.

| layer | folder | may include | libraries | lines | holds |
|---|---|---|---|---|---|
| 0 | `runtime/base` | - | `sodium` | 50 | clock |
| 1 | `runtime/wire` | layer 0 | - | 50 | frames |
| 2 | `runtime/delivery` | layers 0-1 | `ucx` | 50 | rings |
| 2 | `runtime/engine` | layer 0, `bitcode-archive` | - | 50 | code |
| - | `runtime/engine/orc` | `runtime/engine` | `llvm` | 50 | LLVM |
| 1 | `bitcode-archive` | layer 0 | `zstd` | 50 | archives |
| 3 | `runtime/ifunc`, `runtime/endpoint` | layers 0-2 | - | 50 | endpoints |
| 12 | `runtime/context` | layers 0-3 | - | 50 | all |
| 13 | `runtime/top` | layers 0-12 | - | 50 | more |

## Next
"""

EXCEPTIONS = """
Words before the table.

| layer | files | may include | libraries | why |
|---|---|---|---|---|
| - | `include/tc` | - | - | public |
| - | `benchmarks` | - | - | no layer |
| - | `benchmarks/baseline*` | `benchmarks` | `ucx` | to compare |
| - | `tests` | everything | everything | they test all |
"""


class Layers(unittest.TestCase):
    def tree(self, files):
        base = {
            "docs/architecture.md": TABLE,
            "tests/layout/exceptions.md": EXCEPTIONS,
            "include/tc/status.h": "#include <stddef.h>\n",
            "runtime/base/clock.h": "#include <time.h>\n",
            "runtime/engine/orc/jit.h": "",
            "runtime/endpoint/endpoint_state.h": "",
            "runtime/context/context.h": "",
            "runtime/delivery/worker.h": "#include <ucp/api/ucp.h>\n#include \"base/clock.h\"\n",
        }
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**base, **files}.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return check_layers.check_tree(root)

    def problems(self, files):
        return self.tree(files)[0]

    def calls(self, files):
        """The calls that are not allowed. The public header has only `tc_open` and the inline tc_is_ok."""
        header = "int tc_open(int a);\nstatic inline int tc_is_ok(int a)\n{\n    return a;\n}\n"
        return self.tree({"include/tc/context.h": header,
                          "runtime/context/open.c": "int tc_open(int a)\n{\n    return a;\n}\n", **files})[1]

    def one(self, path, text, expected):
        found = self.problems({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])
        self.assertIn(path, found[0])

    def test_what_is_allowed(self):
        self.assertEqual(self.problems({
            "runtime/wire/frame.c": '#include <tc/status.h>\n#include "base/clock.h"\n#include <string.h>\n',
            "runtime/ifunc/registry.c": '#include "delivery/worker.h"\n',
            "runtime/endpoint/ep.c": '#include "endpoint/endpoint_state.h"\n',
            "runtime/top/top.c": '#include "context/context.h"\n',
            "runtime/engine/orc/jit.c": '#include "jit.h"\n#include <llvm-c/Core.h>\n',
            "benchmarks/baseline.c": "#include <ucp/api/ucp.h>\n",
            "tests/wire/test_jit.c": '#include "engine/orc/jit.h"\n#include <cmocka.h>\n',
            "build/junk/clock.h": '#include "nowhere.h"\n',
            "tests/wire/ifuncs/clock.h": "",
        }), [])

    def test_an_upward_edge(self):
        self.one("runtime/base/log.c", '#include "delivery/worker.h"\n', "not allowed")

    def test_a_sideways_edge(self):
        self.one("runtime/engine/load.c", '  #  include "delivery/worker.h"\n', "not allowed")

    def test_a_folder_inside_a_folder_has_its_own_row(self):
        self.one("runtime/ifunc/load.c", '#include "engine/orc/jit.h"\n', "not allowed")

    def test_folders_of_one_row_may_not_include_one_another(self):
        self.one("runtime/ifunc/registry.c", '#include "endpoint/endpoint_state.h"\n', "not allowed")

    def test_layer_12_is_not_layer_1(self):
        self.one("runtime/delivery/up.c", '#include "context/context.h"\n', "not allowed")

    def test_a_library_outside_its_folder(self):
        self.one("runtime/endpoint/ep.c", "#include <ucs/type/status.h>\n", "of ucx")
        self.one("runtime/engine/load.c", "#include <llvm-c/Core.h>\n", "of llvm")
        self.one("benchmarks/perf.c", "#include <ucp/api/ucp.h>\n", "of ucx")

    def test_an_unknown_library(self):
        self.one("runtime/base/json.c", "#include <apr_pools.h>\n", "no library")

    def test_a_private_header_from_outside(self):
        self.one("benchmarks/perf.c", '#include "base/clock.h"\n', "not allowed")
        self.one("benchmarks/perf.c", '#include "jit.h"\n', "not allowed")

    def test_a_header_that_is_not_there(self):
        self.one("runtime/base/log.c", '#include "gone.h"\n', "in no folder")
        self.one("runtime/base/log.c", "#include <tc/gone.h>\n", "in no folder")

    def test_a_source_in_a_source(self):
        self.one("tests/wire/all.c", '#include "frame.c"\n', "includes a source")

    def test_a_file_without_a_row(self):
        self.one("plugins/extra.c", "", "in no row")

    def test_a_name_used_twice(self):
        self.one("tests/base/clock.h", "", "base name as")

    def test_a_public_function_counts_by_who_defines_it(self):
        caller = "int tci_add(int a);\nint tci_add(int a)\n{\n    return tc_open(a);\n}\n"
        for path in "runtime/endpoint/add.c", "runtime/engine/orc/add.c", "bitcode-archive/add.c":
            found = self.calls({path: caller})
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"{path}: calls tc_open of runtime/context/open.c", found[0])
        for path in "runtime/top/add.c", "runtime/context/add.c", "benchmarks/add.c", "tests/wire/add.c":
            self.assertEqual(self.calls({path: caller}), [])

    def test_an_inline_function_of_a_public_header_is_everybodys(self):
        self.assertEqual(self.calls({"runtime/base/add.c": "int f(int a)\n{\n    return tc_is_ok(a);\n}\n"}), [])

    def test_a_folder_that_outgrows_its_lines(self):
        self.assertEqual(self.problems({"runtime/wire/frame.c": "\n" * 50}), [])
        found = self.problems({"runtime/wire/frame.c": "\n" * 51})
        self.assertEqual(len(found), 1, found)
        self.assertIn("runtime/wire: 51 lines, 50 in docs/architecture.md", found[0])

    def test_a_file_counts_in_the_deepest_folder(self):
        self.assertEqual(self.problems({"runtime/engine/orc/emit.c": "\n" * 50, "runtime/engine/load.c": "\n" * 50}), [])

    def test_lines_that_nobody_needs(self):
        found = self.problems({"docs/architecture.md": TABLE.replace("| `ucx` | 50 |", "| `ucx` | 1,200 |")})
        self.assertEqual(found, ["runtime/delivery: 2 lines, 1,200 in docs/architecture.md: lower that"])

    def test_an_exception_without_a_reason(self):
        for path, text in ("tests/layout/exceptions.md", EXCEPTIONS.replace("to compare", "")), \
                ("docs/architecture.md", TABLE.replace("| 50 |", "| - |")):
            with self.assertRaisesRegex(SystemExit, "why|lines"):
                self.problems({path: text})

    def test_a_function_of_a_lower_layer(self):
        self.assertEqual(self.calls({
            "runtime/base/add.c": "int tci_add(int a)\n{\n    return a;\n}\n",
            "runtime/wire/frame.c": "int (*const tci_adder)(int) = tci_add;\n"}), [])

    def test_a_private_function_from_outside(self):
        found = self.calls({"runtime/base/add.c": "int tci_add(int a)\n{\n    return a;\n}\n",
                            "benchmarks/perf.c": "int f(int a)\n{\n    return tci_add(a);\n}\n"})
        self.assertEqual(len(found), 1, found)


if __name__ == "__main__":
    unittest.main()
