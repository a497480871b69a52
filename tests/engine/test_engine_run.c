/* Code of many kinds runs according to its source: one suite for every engine, each with a
 * fixture of its own. */
#include "engine_fixture.h"

#define ALL_ENTRIES (TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT)

TEST(data_lives_as_long_as_the_code)
{
    uint64_t result = 0;
    loaded_file first = load_file("counter", "counter", ALL_ENTRIES, "");
    loaded_file second = load_file("counter", "counter", TCI_ENTRY_MAIN, "");
    first.entries.main(NULL, 5, &result);
    assert_int_equal(result, 1005);
    first.entries.main(NULL, 6, &result);
    assert_int_equal(result, 2006);
    second.entries.main(NULL, 7, &result);
    assert_int_equal(result, 1007);
    unload_file(&first);
    second.entries.main(NULL, 8, &result);
    assert_int_equal(result, 2008);
    unload_file(&second);
    first = load_file("counter", "counter", TCI_ENTRY_MAIN, "");
    first.entries.main(NULL, 1, &result);
    assert_int_equal(result, 1001);
    unload_file(&first);
}

TEST(the_other_entries_are_found)
{
    unsigned char payload[4], args[4] = {1, 2, 3, 4};
    loaded_file f = load_file("counter", "counter", ALL_ENTRIES, "");
    assert_int_equal(f.entries.max_size(NULL, 100), 107);
    assert_int_equal(f.entries.init(payload, 3, args, 4), 1);
    assert_int_equal(f.entries.init(payload, 4, args, 4), 0);
    assert_int_equal(payload[3], 4 ^ 0x55);
    unload_file(&f);
}

TEST(libc_can_be_called)
{
    static uint64_t words[512];
    static char text[256];
    for (unsigned i = 0; i < 512; i++)
        words[i] = (i * 7919u) % 512;
    loaded_file f = load_file("libc_calls", "libc_calls", TCI_ENTRY_MAIN, "");
    f.entries.main(words, sizeof words, text);
    assert_string_equal(text, "4096 two seventeen many 3.75 0..511 errno 1");
    unload_file(&f);
}

TEST(a_library_of_the_list_can_be_called)
{
    double in[2] = {4.0, 27.0}, out = 0;
    loaded_file f = load_file("libm_user", "libm_user", TCI_ENTRY_MAIN, "libm.so.6\n");
    f.entries.main(in, sizeof in, &out);
    assert_true(out > 113.79 && out < 113.80); /* ln 6 + 3 + 109 */
    unload_file(&f);
}

TEST(the_host_can_be_called_and_calls_back)
{
    uint64_t in = 5, out = 0;
    tc_test_variable = 100;
    loaded_file f = load_file("calls_host", "calls_host", TCI_ENTRY_MAIN, "");
    f.entries.main(&in, sizeof in, &out);
    assert_int_equal(out, 31);
    assert_int_equal(tc_test_variable, 108);
    unload_file(&f);
}

TEST(helpers_that_code_generation_adds_are_found)
{
    uint64_t in[3] = {3, 1, 7}, out[3] = {0};
    loaded_file f = load_file("recursion", "recursion", TCI_ENTRY_MAIN, "");
    f.entries.main(in, sizeof in, out);
    unsigned __int128 wide = (unsigned __int128)3 << 64 | 1;
    assert_int_equal(out[0], 9);
    assert_true(out[1] == (uint64_t)(wide / 7));
    assert_true(out[2] == (uint64_t)(wide % 7));
    unload_file(&f);
}

typedef struct command {
    uint32_t kind;
    uint32_t padding;
    char key[24];
    int64_t value;
} command;

TEST(a_function_of_ordinary_size_runs)
{
    static char text[4096];
    static const command commands[] = {
        {1, 0, "apple", 7}, {1, 0, "pear", -3}, {1, 0, "plum", 100}, {2, 0, "pear", 0},
        {2, 0, "fig", 0},   {3, 0, "plum", 0},  {3, 0, "plum", 0},   {1, 0, "apple", 8},
        {4, 0, "", 0},      {5, 0, "", 0},      {9, 0, "", 0},
    };
    loaded_file f = load_file("hash_map", "hash_map", TCI_ENTRY_MAIN, "");
    f.entries.main((void *)commands, sizeof commands, text);
    assert_string_equal(text, "ok ok ok pear=-3 none gone none ok 2 5 ? ");
    unload_file(&f);
}

TEST(equal_names_do_not_meet)
{
    int a = 0, b = 0;
    loaded_file first = load_file("twin_a", "twin", TCI_ENTRY_MAIN, "");
    loaded_file second = load_file("twin_b", "twin", TCI_ENTRY_MAIN, "");
    first.entries.main(NULL, 1, &a);
    second.entries.main(NULL, 2, &b);
    first.entries.main(NULL, 3, &a);
    assert_int_equal(a, 104);
    assert_int_equal(b, 202);
    unload_file(&first);
    unload_file(&second);
}

TEST(equal_symbols_of_different_libraries_do_not_meet)
{
    int a = 0, b = 0;
    loaded_file first = load_file("uses_dep", "uses_dep", TCI_ENTRY_MAIN, "libtest_dep_a.so");
    loaded_file second = load_file("uses_dep", "uses_dep", TCI_ENTRY_MAIN, "libtest_dep_b.so");
    first.entries.main(NULL, 0, &a);
    second.entries.main(NULL, 0, &b);
    assert_int_equal(a, 11);
    assert_int_equal(b, 22);
    /* The slot that the first leaves is taken by a function with the other library. */
    unload_file(&first);
    first = load_file("uses_dep", "uses_dep", TCI_ENTRY_MAIN, "libtest_dep_b.so");
    first.entries.main(NULL, 0, &a);
    assert_int_equal(a, 22);
    unload_file(&first);
    unload_file(&second);
}

TEST(a_weak_reference_may_stay_open)
{
    int out = 0;
    loaded_file f = load_file("weak_reference", "weak_reference", TCI_ENTRY_MAIN, "");
    f.entries.main(NULL, 0, &out);
    assert_int_equal(out, 42);
    unload_file(&f);
}

TEST(good_assembly_runs)
{
    uint64_t out = 0;
    loaded_file f = load_file("good_asm", "good_asm", TCI_ENTRY_MAIN, "");
    f.entries.main(NULL, 0, &out);
    assert_int_equal(out, 42);
    unload_file(&f);
}

/* An exception, or a backtrace for a log, passes through the function to its caller and on. */
TEST(the_stack_can_be_unwound_through_it)
{
    uint64_t here = tc_test_frames(), there = 0;
    for (int round = 0; round < 3; round++) {
        loaded_file f = load_file("unwinds", "unwinds", TCI_ENTRY_MAIN, "");
        f.entries.main(NULL, 0, &there);
        assert_int_equal(there, here + 1);
        unload_file(&f);
    }
}

TEST(every_missing_symbol_is_named)
{
    expect_refusal("missing", "missing", TCI_ENTRY_MAIN, TC_E_UNRESOLVED,
                   (const char *const[]){"no library here defines", "tc_test_absent_function",
                                         "tc_test_absent_variable", "tc_test_absent_callback",
                                         NULL});
}

int main(void)
{
    return test_run(engine_set_up, engine_tear_down);
}
