/* Names of each language's runtime, and names of no runtime. */
#include "foreign_words.h"
#include "rust_name.h"

#include "../support/test.h"

TEST(names_of_rust)
{
    static const char *const names[][2] = {
        {"_ZN4core9panicking9panic_fmt17h0123456789abcdefE", "core::panicking::panic_fmt"},
        {"_ZN5alloc7raw_vec17h0123456789abcdefE", "alloc::raw_vec"},
        {"_RNvNtCs1234_4core9panicking9panic_fmt", "core::panicking::panic_fmt"},
        {"_RNvCs1234_3std4exit", "std::exit"},
        {"_RNvNtCs1234_4core3fmt5writeCs99_4mine", "core::fmt::write"},
        /* of C++, or of no language */
        {"_ZN4core9panicking9panic_fmtEv", NULL},
        {"_ZN4core9panicking9panic_fmt17h0123456789abcdeE", NULL},
        {"_ZN17h0123456789abcdefE", NULL},
        {"_ZN99core17h0123456789abcdefE", NULL},
        {"_ZN99999999999999999999core17h0123456789abcdefE", NULL},
        {"_ZN", NULL},
        {"_ZN4", NULL},
        {"_R", NULL},
        {"_RN", NULL},
        {"_RC", NULL},
        {"_RNvC", NULL},
        {"_RNvCs", NULL},
        {"_RNvCs_", NULL},
        {"_RNvCs_9x", NULL},
        {"_RINvNtC4core3ptr4readhE", NULL},
        {"_Read", NULL},
        {"R", NULL},
        {"", NULL},
    };
    char name[TCI_RUST_NAME_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool known = tci_rust_name_read(names[i][0], name);
        if (known != (names[i][1] != NULL))
            fail_msg("%s: %s", names[i][0], known ? name : "not known");
        if (known)
            assert_string_equal(name, names[i][1]);
    }
}

TEST(a_long_name_of_rust)
{
    char symbol[1024] = "_ZN", name[TCI_RUST_NAME_MAX];
    for (int i = 0; i < 60; i++)
        strcat(symbol, "5alloc");
    strcat(symbol, "17h0123456789abcdefE");
    assert_false(tci_rust_name_read(symbol, name));
}

static void expect(const char *symbol, const char *library, size_t errors, size_t warnings)
{
    tci_text_list symbols = {0}, libraries = {0}, wrong = {0}, doubtful = {0};
    tci_text_list_add(&symbols, symbol);
    if (library != NULL)
        tci_text_list_add(&libraries, library);
    tci_foreign_words_of_symbols(&symbols, &libraries, "a.bc", &wrong, &doubtful);
    if (wrong.count != errors || doubtful.count != warnings)
        fail_msg("%s: %zu errors, %zu warnings", symbol, wrong.count, doubtful.count);
    tci_text_list_fini(&symbols);
    tci_text_list_fini(&libraries);
    tci_text_list_fini(&wrong);
    tci_text_list_fini(&doubtful);
}

TEST(what_no_node_has)
{
    static const char *const names[] = {"rust_eh_personality",
                                        "__rust_alloc",
                                        "_RINvNtC4core3ptr4readhE",
                                        "Py_IncRef",
                                        "PyFloat_AsDouble",
                                        "_Py_Dealloc",
                                        "NRT_decref",
                                        "_FortranAStopStatement",
                                        "_d_allocmemory",
                                        "_D3std5stdio",
                                        "julia.call"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect(names[i], NULL, 1, 0);
}

TEST(what_some_nodes_have)
{
    static const char *const names[] = {
        "_Znwm",        "__cxa_throw", "_Unwind_Resume",    "_ZNSt6vectorE",
        "jl_box_int64", "ijl_throw",   "_gfortran_st_write"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect(names[i], NULL, 0, 1);
}

/* Names that C functions have, too. */
TEST(what_is_of_nobody)
{
    static const char *const names[] = {"malloc",        "Pyramid", "_Dump",  "_DYNAMIC",
                                        "_Read",         "jlong",   "dlopen", "tc_reply",
                                        "_ZN3foo3barEv", "memcpy",  ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect(names[i], NULL, 0, 0);
}

TEST(what_a_library_gives)
{
    expect("_Znwm", "libstdc++.so.6", 0, 0);
    expect("_Znwm", "/opt/lib/libc++.so.1", 0, 0);
    expect("_ZNSt6vectorE", "libc++.so.1", 0, 1);
    expect("_Znwm", "libm.so.6", 0, 1);
    expect("_d_allocmemory", "libdruntime-ldc-shared.so.100", 0, 0);
    expect("_D3std5stdio", "libdruntime-ldc-shared.so.100", 1, 0);
    expect("_ZN3std2io17h0123456789abcdefE", "libstd-8765.so", 0, 0);
    expect("NRT_decref", "libpython3.11.so.1.0", 1, 0);
}
