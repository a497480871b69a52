#!/usr/bin/env python3
"""The layer check must find what it is there to find: small trees with one mistake each."""
import os
import tempfile
import unittest

import check_layers

TABLE = """
## Layers

Words before the table.

| layer | folder | may include | libraries | holds |
|---|---|---|---|---|
| 0 | `runtime/base` | - | `sodium` | |
| 1 | `runtime/wire` | layer 0 | - | |
| 2 | `runtime/delivery` | layers 0-1 | `ucx` | |
| 2 | `runtime/engine` | layer 0, `bitcode-archive` | - | |
| - | `runtime/engine/orc` | `runtime/engine` | `llvm` | |
| 1 | `bitcode-archive` | layer 0 | `zstd` | |
| 3 | `runtime/ifunc`, `runtime/endpoint` | layers 0-2 | - | |
| - | `include/tc` | - | - | |
| - | `benchmarks` | - | - | |
| - | `benchmarks/baseline*` | `benchmarks` | `ucx` | |
| - | `tests` | everything | everything | |

## Next
"""


class Layers(unittest.TestCase):
    def problems(self, files):
        base = {
            "docs/architecture.md": TABLE,
            "include/tc/status.h": "#include <stddef.h>\n",
            "runtime/base/clock.h": "#include <time.h>\n",
            "runtime/engine/orc/jit.h": "",
            "runtime/endpoint/endpoint_state.h": "",
            "runtime/delivery/worker.h": "#include <ucp/api/ucp.h>\n#include \"base/clock.h\"\n",
        }
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**base, **files}.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return check_layers.check_tree(root)[0]

    def one(self, path, text, expected):
        found = self.problems({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])
        self.assertIn(path, found[0])

    def test_what_is_allowed(self):
        self.assertEqual(self.problems({
            "runtime/wire/frame.c": '#include <tc/status.h>\n#include "base/clock.h"\n#include <string.h>\n',
            "runtime/ifunc/registry.c": '#include "endpoint/endpoint_state.h"\n#include "delivery/worker.h"\n',
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


if __name__ == "__main__":
    unittest.main()
