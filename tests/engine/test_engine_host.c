/* Properties of the engine for bitcode, and queries that only it answers. */
#include "engine_fixture.h"

#define ALL_ENTRIES (TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT)

TEST(the_host_is_described)
{
    assert_int_equal(ops->abi, TCI_ENGINE_ABI);
    assert_string_equal(ops->name, "orc");
    assert_true(atoi(ops->llvm()) >= 17);
    assert_true(strlen(ops->cpu(engine)) > 0);
    assert_non_null(ops->features(engine));
}

TEST(code_without_a_target_is_for_this_host)
{
    uint64_t result = 0;
    loaded_file f = load_file("counter_bare", "counter", ALL_ENTRIES, "");
    f.entries.main(NULL, 9, &result);
    assert_int_equal(result, 1009);
    unload_file(&f);
}

TEST(tiered_up_code_goes_on_with_the_variables)
{
    size_t size;
    uint64_t result = 0;
    tc_error err = {0};
    tci_loaded *quick, *best = NULL;
    tci_entries entries, best_entries;
    tci_object object;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    code.level = TCI_LEVEL_BASELINE;
    assert_ok(load_code(&code, &quick, &entries, NULL));
    assert_int_equal(ops->writable(quick), 1);
    entries.main(NULL, 3, &result);
    assert_int_equal(result, 1003);

    code.level = TCI_LEVEL_OPTIMISED_SHARED;
    if (ops->compile(engine, &code, &object, &err) != TC_OK ||
        ops->link(engine, &code, object.bytes, object.size, quick, &best, &best_entries,
                  &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(object.writable, 1);
    assert_ptr_not_equal(best_entries.main, entries.main);
    best_entries.main(NULL, 4, &result);
    assert_int_equal(result, 2004);
    entries.main(NULL, 1, &result);
    assert_int_equal(result, 3001);

    /* Such an object is nothing without the code that it goes over. */
    tci_loaded *alone;
    assert_status(
        ops->link(engine, &code, object.bytes, object.size, NULL, &alone, &best_entries, &err),
        TC_E_CORRUPT);
    free(object.bytes);
    ops->unload(engine, best);
    ops->unload(engine, quick);
    free(bytes);
    tci_symbols_destroy(symbols);
}

TEST(damaged_objects_are_refused)
{
    size_t size;
    tci_object object;
    tci_loaded *loaded;
    tci_entries entries;
    tc_error err;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    assert_ok(ops->compile(engine, &code, &object, NULL));
    for (size_t n = 0; n < object.size; n += n < 64 ? 1 : 97)
        assert_int_not_equal(
            ops->link(engine, &code, object.bytes, n, NULL, &loaded, &entries, &err), TC_OK);
    for (size_t at = 0; at < 8; at++) {
        ((uint8_t *)object.bytes)[at] ^= 0x40;
        assert_status(
            ops->link(engine, &code, object.bytes, object.size, NULL, &loaded, &entries, &err),
            TC_E_CORRUPT);
        ((uint8_t *)object.bytes)[at] ^= 0x40;
    }
    free(object.bytes);
    free(bytes);
    tci_symbols_destroy(symbols);
}

TEST(entries_are_there_when_asked_for)
{
    loaded_file f = load_file("counter", "counter", TCI_ENTRY_MAIN, "");
    assert_null(f.entries.max_size);
    assert_null(f.entries.init);
    unload_file(&f);
}

int main(void)
{
    return test_run(engine_set_up, engine_tear_down);
}
