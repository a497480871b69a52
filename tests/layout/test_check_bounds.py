#!/usr/bin/env python3
"""check_bounds.py: growing structures, and the table of their bounds."""
import unittest

from check_bounds import Document, check, constants_of, growing, number_of

HEAD = """# Options

| option | environment | unit | default | range | meaning |
|---|---|---|---|---|---|
| `queue_bytes` | `TC_QUEUE_BYTES` | bytes | 1M | 0..1G | a queue |
| `kind` | `TC_KIND` | choice | a | a\\|b | a kind |

## Bounds of queues and tables

| structure | bound | default | beyond it |
|---|---|---|---|
"""
ROWS = """| a queue; its parts | `queue_bytes`, `PARTS_MAX` | 1M; 1024 | `TC_E_AGAIN` |
| descriptors | `RLIMIT_NOFILE` | - | `TC_E_IO` |
"""
CONSTANTS = {"PARTS_MAX": {1024}, "OTHER_MAX": {3}}


def document(rows=ROWS):
    return Document(HEAD + rows)


def problems(text, path="runtime/x.c", rows=ROWS):
    return list(check(document(rows), CONSTANTS, {path: text}))


class Growing(unittest.TestCase):
    def found(self, text, path="runtime/x.c"):
        return list(growing(path, text).values())

    def test_primitives(self):
        for text, name in (("p = realloc(p, n);", "realloc"), ("p = reallocarray(p, n, 4);", "reallocarray"),
                           ("p = calloc(count, sizeof *p);", "calloc"), ("e = pthread_create(&t, NULL, run, 0);", "pthread_create"),
                           ("e = posix_spawn(&pid, path);", "posix_spawn"), ("fd = accept4(fd, 0, 0, 0);", "accept4"),
                           ("fd = open(path, O_WRONLY | O_APPEND);", "append")):
            self.assertEqual(self.found(f"void f(void)\n{{\n    {text}\n}}\n"), [name], text)
        self.assertEqual(self.found("struct s { TAILQ_ENTRY(s) link; };\n"), ["TAILQ_ENTRY"])

    def test_lists(self):
        for text in ("struct s { struct s *next; int x; };", "struct s { int x; s *next_idle; };",
                     "struct s { s *next, **previous_next; };", "typedef struct s { int x; struct s *_Atomic next; } s;", "struct s { s *bucket_next; };"):
            self.assertEqual(self.found(text), ["list of s"], text)

    def test_what_does_not_grow(self):
        for text in ("struct s { int next; };", "struct s { const char *next; };", "struct s { s **previous_next; };",
                     "/* realloc(p, n) */", 'x("realloc(p)");', "void f(void)\n{\n    p = calloc(1, sizeof *p);\n}\n",
                     "void f(void)\n{\n    s *next;\n}\n", "#define GROW realloc(p, n)\n"):
            self.assertEqual(self.found(text), [], text)

    def test_tables_of_the_compiler(self):
        self.assertEqual(self.found("void f(void)\n{\n    p = calloc(n, 4);\n}\n", "compiler/x.c"), [])


class Bounds(unittest.TestCase):
    def test_what_is_allowed(self):
        for comment in ("/* bound: PARTS_MAX */\n", "/* All parts; bound: queue_bytes, PARTS_MAX */\n",
                        "/* bound: RLIMIT_NOFILE. */\n\n"):
            self.assertEqual(problems(comment + "p = realloc(p, n);\n"), [], comment)
        self.assertEqual(problems("struct s {\n    struct s *next; /* bound: PARTS_MAX */\n};\n"), [])

    def test_no_bound(self):
        for text in ("p = realloc(p, n);\n", "/* bound: PARTS_MAX */\n\n\n\n\np = realloc(p, n);\n",
                     "p = realloc(p, n);\n/* bound: PARTS_MAX */\n"):
            found = problems(text)
            self.assertEqual(len(found), 1, text)
            self.assertIn("realloc without a comment 'bound: NAME'", found[0])

    def test_the_bound_of_another(self):
        found = problems("/* bound: PARTS_MAX */\np = realloc(p, n);\nq = realloc(q, n);\n")
        self.assertEqual(found, ["runtime/x.c:3: realloc without a comment 'bound: NAME'"])

    def test_a_bound_that_the_document_lacks(self):
        self.assertEqual(problems("p = realloc(p, n); /* bound: OTHER_MAX */\n"),
                         ["runtime/x.c:1: realloc: its bound OTHER_MAX is not in the table of docs/options.md"])


class Table(unittest.TestCase):
    def one(self, row, expected):
        found = problems("", rows=row + "\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])

    def test_defaults(self):
        self.one("| a | `PARTS_MAX` | 1025 | `TC_E_AGAIN` |", "PARTS_MAX is 1025, and the sources have [1024]")
        self.one("| a | `queue_bytes` | 2M | `TC_E_AGAIN` |", "queue_bytes is 2M, and the option's default 1M")
        self.one("| a | `GONE_MAX` | 5 | `TC_E_AGAIN` |", "GONE_MAX is no option, and no constant")
        self.one("| a | `RLIMIT_NOFILE` | 5 | `TC_E_IO` |", "is the system's and has no default")

    def test_cells(self):
        for row in ("| a | - | - | x |", "| a | `PARTS_MAX`, `OTHER_MAX` | 1024 | x |", "| a | `PARTS_MAX` | 1024 | |"):
            self.assertIn("needs a bound, a default for each", problems("", rows=row + "\n")[0], row)

    def test_no_chapter(self):
        with self.assertRaises(SystemExit):
            Document("# Options\n")

    def test_numbers(self):
        for text, value in (("64u", 64), ("(4u << 20)", 4 << 20), ("0x10ull", 16), ("4M", 4 << 20), ("1,024", 1024), ("0600", None),
                            ("OTHER", None)):
            self.assertEqual(number_of(text), value, text)
        text = "#define A 3u /* of\n * them */\n#define B(x) 4\nenum { C = 1 << 2, D = 5 };\n#define E \\\n    (2u << 1)\n"
        self.assertEqual(constants_of([text]), {"A": {3}, "C": {4}, "D": {5}, "E": {4}})


if __name__ == "__main__":
    unittest.main()
