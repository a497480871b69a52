#!/usr/bin/env python3
"""The reader of C, and its calls and cycles."""
import unittest

from c_source import Source
from check_calls import Calls, circles, closure, lines_of


def function(name, *called):
    return f"int {name}(int a)\n{{\n    return {' + '.join(f'{c}(a)' for c in called) or 'a'};\n}}\n"


class Reading(unittest.TestCase):
    def test_definitions(self):
        source = Source("""
            /* int no(void) { return 0; } */
            TC_MUST_CHECK static const char *first(const char *text) { return "{ int never(void) {"; } // int nor(void) {
            void tci_fail(int a, const char *fmt, ...) TC_PRINTF(2, 3) { (void)a; }
            __attribute__((noinline)) void (*tci_handler(int a))(int) { if (a) { return NULL; } return NULL; }
            typedef struct thing { int (*call)(int); } thing;
            struct thing *tci_thing(void) { static thing it = {.call = 0}; return &it; }
        """)
        self.assertEqual([(f.name, f.static, f.line) for f in source.functions],
                         [("first", True, 3), ("tci_fail", False, 4), ("tci_handler", False, 5), ("tci_thing", False, 7)])
        self.assertEqual(list(source.structs), ["thing"])

    def test_declarations(self):
        source = Source("""
            #define TWICE(x) tci_add(x) + \\
                             tci_add(x)
            struct tci_hub;
            enum tci_kind { A, B };
            extern const tci_ops tci_ops_direct;
            int tci_add(int a), other;
            void (*tci_hook)(int a);
            static const int table[] = {1, 2}, more = 3;
            _Thread_local tci_current tci_now __attribute__((tls_model("initial-exec")));
            _Static_assert(sizeof(int) == 4, "four");
            extern "C" {
            int tci_sub(int a);
            }
        """)
        self.assertEqual(set(source.declared), {"tci_add", "tci_sub"})
        self.assertEqual(set(source.declared_variables), {"tci_ops_direct"})
        self.assertEqual(source.variables, {"tci_hook": False, "table": True, "tci_now": False})
        self.assertEqual(source.macros["TWICE"].count("tci_add"), 2)

    def test_a_bracket_that_is_never_closed(self):
        with self.assertRaises(ValueError):
            Source("int f(void) {\n")


class Edges(unittest.TestCase):
    def called(self, files):
        return sorted(Calls(files).calls)

    def test_a_call_and_an_address(self):
        self.assertEqual(self.called({
            "runtime/a.c": function("tci_a"),
            "runtime/b.c": function("tci_b", "tci_a"),
            "runtime/c.c": "static const ops all = {.tci_a = tci_b};\n"}),
            [("runtime/b.c", "tci_a"), ("runtime/c.c", "tci_b")])

    def test_what_is_no_call(self):
        self.assertEqual(self.called({
            "runtime/a.c": function("tci_a") + function("plain"),
            "runtime/a.h": "int tci_a(int a);\nstatic inline " + function("tci_a_twice", "tci_a"),
            "runtime/b.c": "int tci_a(int a);\n"
                           "static int own(int plain)\n{\n    ops->tci_a(1);\n    ops.tci_a(2);\n    /* tci_a(3) */\n"
                           "    return plain + s(\"tci_a(4)\");\n}\n",
            "runtime/c.c": "static " + function("plain") + function("tci_c", "plain")}), [])

    def test_a_macro_of_a_header_is_its_users_call(self):
        self.assertEqual(self.called({
            "runtime/a.c": function("tci_a"),
            "runtime/a.h": "#define TRY(x) ONCE(x)\n#define ONCE(x) tci_a(x)\n",
            "runtime/b.c": function("tci_b", "TRY")}), [("runtime/b.c", "tci_a")])

    def test_an_inline_function_belongs_to_its_header(self):
        calls = Calls({"runtime/a.h": "static inline " + function("tci_a", "tci_b"),
                       "runtime/b.c": function("tci_b"), "runtime/c.c": function("tci_c", "tci_a")})
        self.assertEqual(calls.graph(calls.calls),
                         {"runtime/a": {"runtime/b": ["tci_b"]}, "runtime/b": {}, "runtime/c": {"runtime/a": ["tci_a"]}})

    def test_a_variable_is_knowledge_and_no_call(self):
        calls = Calls({"runtime/a.c": "const ops tci_a_ops = {1};\n", "runtime/a.h": "extern const ops tci_a_ops;\n",
                       "runtime/b.c": "int tci_b(void)\n{\n    return tci_a_ops.open(1);\n}\n"})
        self.assertEqual((list(calls.calls), list(calls.knows)), ([], [("runtime/b.c", "tci_a_ops")]))


class Circles(unittest.TestCase):
    def test_closure(self):
        calls = Calls({"runtime/a/one.c": function("one", "two"), "runtime/a/two.h": "int two(int a);\n", "runtime/a/two.c": "    TCI_INVARIANT(a_b,\n        a(1));\n    TCI_INVARIANT_IS(a_b, a, <, b);\n" + function("two"),
                       "runtime/a/three.c": function("three", "one")})
        reached = closure(calls.graph(calls.calls), ["runtime/a/one"])
        self.assertEqual((reached, lines_of(calls, reached)), ({"runtime/a/one", "runtime/a/two"}, 9))

    def test_circles(self):
        graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d", "f"}, "f": {"f"}, "g": {"a"}}
        self.assertEqual(circles(graph), [["a", "b", "c"], ["d", "e"]])

    def test_two_circles_with_one_file_in_common_are_one(self):
        self.assertEqual(circles({"a": {"b"}, "b": {"a", "c"}, "c": {"b"}}), [["a", "b", "c"]])

    def test_none(self):
        self.assertEqual(circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])


if __name__ == "__main__":
    unittest.main()
