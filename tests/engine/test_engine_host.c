/* What the engine for bitcode says of itself, and what only it can be asked. */
#include "engine_fixture.h"

#include <stdlib.h>
#include <string.h>

#define ALL_ENTRIES (TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT)

static void the_host_is_described(void **state)
{
    (void)state;
    assert_int_equal(ops->abi, TCI_ENGINE_ABI);
    assert_string_equal(ops->name, "orc");
    assert_true(atoi(ops->llvm()) >= 17);
    assert_true(strlen(ops->cpu(engine)) > 0);
    assert_non_null(ops->features(engine));
}

static void code_without_a_target_is_for_this_host(void **state)
{
    (void)state;
    uint64_t result = 0;
    loaded_file f = load_file("counter_bare", "counter", ALL_ENTRIES, "");
    f.entries.main(NULL, 9, &result);
    assert_int_equal(result, 1009);
    unload_file(&f);
}

static void quick_code_does_the_same(void **state)
{
    (void)state;
    size_t size;
    uint64_t result = 0;
    tci_loaded *loaded;
    tci_entries entries;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    code.level = TCI_LEVEL_QUICK;
    assert_int_equal(ops->load(engine, &code, &loaded, &entries, NULL), TC_OK);
    entries.main(NULL, 3, &result);
    assert_int_equal(result, 1003);
    ops->unload(engine, loaded);
    free(bytes);
    tci_symbols_destroy(symbols);
}

static void entries_are_there_when_asked_for(void **state)
{
    (void)state;
    loaded_file f = load_file("counter", "counter", TCI_ENTRY_MAIN, "");
    assert_null(f.entries.max_size);
    assert_null(f.entries.init);
    unload_file(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_is_described),
        cmocka_unit_test(code_without_a_target_is_for_this_host),
        cmocka_unit_test(quick_code_does_the_same),
        cmocka_unit_test(entries_are_there_when_asked_for),
    };
    return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
