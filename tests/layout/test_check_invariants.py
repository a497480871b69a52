#!/usr/bin/env python3
"""check_invariants.py wants the document's rows and the code's checks to be the same, each in a pair, and each chapter tested."""
import os
import tempfile
import unittest

import check_invariants

ROW = "| `{0}` | {1} | {2} | {3} | {4} |\n"
GOOD = ("ring_space", "No more is used than there is.", "`producer.h`", "`producer.c`", "`test_ring.c`")


class Invariants(unittest.TestCase):
    def check(self, *rows, code=None, tests="TEST_BROKEN(ring_space)", heading="## Rings\n\n"):
        code = code or {"producer.h": "TCI_INVARIANT_IS(ring_space, a, <=, b);", "producer.c": "TCI_INVARIANT(\n    ring_space, a);"}
        files = {"docs/invariants.md": heading + "".join(ROW.format(*row) for row in rows),
                 "tests/ring/test_ring.c": tests,
                 "runtime/base/assertion.h": "#define TCI_INVARIANT(name, condition) TCI_INVARIANT(macro, x)"}
        files.update({f"runtime/ring/{name}": text for name, text in code.items()})
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return check_invariants.check(root)

    def problem(self, *rows, **others):
        problems = self.check(*rows, **others)[2]
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def test_a_pair_with_a_row_and_a_test(self):
        self.assertEqual(self.check(GOOD), (1, 2, []))

    def test_code_without_a_row(self):
        code = {"producer.h": "TCI_INVARIANT(ring_space, a); TCI_INVARIANT(ring_lap, a);", "producer.c": "TCI_INVARIANT(ring_space, a);"}
        self.assertIn("ring_lap: no row, checked in producer.h", self.problem(GOOD, code=code))

    def test_a_row_without_code(self):
        row = ("ring_lap", "It is whole.", "`producer.h`", "`producer.c`", "-")
        self.assertIn("ring_lap: no code checks it", self.problem(GOOD, row))

    def test_one_side_alone(self):
        row = GOOD[:3] + ("`producer.h`", GOOD[4])
        self.assertIn("checked once", self.problem(row, code={"producer.h": "TCI_INVARIANT(ring_space, a);"}))

    def test_both_sides_may_be_in_one_file(self):
        row = GOOD[:3] + ("`producer.h`", GOOD[4])
        code = {"producer.h": "TCI_INVARIANT(ring_space, a); TCI_INVARIANT(ring_space, b);"}
        self.assertEqual(self.check(row, code=code)[2], [])

    def test_other_files_than_those_of_the_row(self):
        code = {"producer.h": "TCI_INVARIANT(ring_space, a);", "consumer.c": "TCI_INVARIANT(ring_space, a);"}
        self.assertIn("the code checks it in consumer.c, producer.h", self.problem(GOOD, code=code))
        self.assertIn("written in -", self.problem(GOOD[:2] + ("-", "`producer.c`, `producer.h`", GOOD[4])))

    def test_a_second_row(self):
        self.assertIn("a second row", self.problem(GOOD, GOOD))

    def test_a_row_without_a_sentence(self):
        self.assertIn("no sentence", self.problem(GOOD[:1] + ("space",) + GOOD[2:]))

    def test_a_row_with_a_cell_too_many(self):
        self.assertIn("5 cells", self.problem(GOOD[:4] + ("`test_ring.c` | `test_ring.c`",)))

    def test_the_test_has_the_name(self):
        self.assertIn("`test_ring.c` does not break it", self.problem(GOOD, tests="TEST_BROKEN(ring_spaces)"))
        self.assertIn("`test_other.c` does not break it", self.problem(GOOD[:4] + ("`test_other.c`",)))

    def test_each_chapter_has_a_test(self):
        self.assertIn("chapter Rings: no test", self.problem(GOOD[:4] + ("-",)))


if __name__ == "__main__":
    unittest.main()
