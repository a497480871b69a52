/* Behaviour of the engine for bitcode alone, at every level of optimisation. */
#include "engine_fixture.h"

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(exceptions_are_caught_among_thousands_of_functions)
{
    const uint64_t late = TEST_EMULATED ? 387 : 2345; /* there are fewer where they are slow */
    uint64_t out = 0;
    if (TCI_SANITIZED)
        skip(); /* it wants C++'s library to be there when the program starts */
    loaded_file f = load_file("throws", "throws", TCI_ENTRY_MAIN, "libstdc++.so.6\n");
    f.entries.main(NULL, late, &out);
    assert_int_equal(out, 2 + late);
    f.entries.main(NULL, 1000000, &out);
    assert_int_equal(out, 2);
    unload_file(&f);
}

TEST(functions_need_no_names)
{
    uint64_t out = 0;
    loaded_file f = load_file("nameless", "nameless", TCI_ENTRY_MAIN, "");
    f.entries.main(NULL, 4, &out);
    assert_int_equal(out, 12);
    f.entries.main(NULL, 9, &out);
    assert_int_equal(out, 4);
    f.entries.main(NULL, 10, &out);
    assert_int_equal(out, 3);
    unload_file(&f);
}

TEST(assembly_may_define_and_use_symbols)
{
    uint64_t out[3] = {0};
    loaded_file f = load_file("asm_symbols", "asm_symbols", TCI_ENTRY_MAIN, "");
    f.entries.main(NULL, 0, out);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 8);
    assert_int_equal(out[2], 4);
    unload_file(&f);
}

TEST(what_assembly_needs_and_nobody_has_is_named)
{
    expect_refusal("asm_missing", "asm_missing", TCI_ENTRY_MAIN, TC_E_UNRESOLVED,
                   PARTS("tc_test_absent_function"));
}

TEST(constructors_by_assembly_are_refused)
{
    expect_refusal("asm_constructor", "asm_constructor", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS(".init_array", "constructor"));
}

TEST(an_entry_without_instructions_is_refused)
{
    expect_refusal("no_instructions", "no_instructions", TCI_ENTRY_MAIN, TC_E_CORRUPT,
                   PARTS("no_instructions_main", "no instructions"));
}

TEST(data_aligned_to_more_than_a_page_is_refused)
{
    expect_refusal("aligned_data", "aligned_data", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("aligned to 65536 bytes", "4096"));
}

int main(void)
{
    return test_run(engine_set_up, engine_tear_down);
}
