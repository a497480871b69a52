/* From an archive to a call, through the process's one engine. */
#include "engine_fixture.h"

#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *make_archive(const char *file, const char *name, unsigned entries,
                          const char *triple, size_t *size_out)
{
    tci_archive_writer *writer;
    tc_error err = {0};
    void *archive;
    size_t size;
    void *bytes = read_bitcode(file, &size);
    tci_slice slice = {.form = TCI_FORM_BITCODE, .producer_major = 17};
    (void)snprintf(slice.triple, sizeof slice.triple, "%s", triple);
    assert_int_equal(tci_archive_writer_create(name, entries, &writer, &err), TC_OK);
    assert_int_equal(tci_archive_writer_add(writer, &slice, bytes, size, NULL, 0, &err), TC_OK);
    assert_int_equal(tci_archive_writer_finish(writer, &archive, size_out, &err), TC_OK);
    tci_archive_writer_destroy(writer);
    free(bytes);
    return archive;
}

static tc_status load_archive(tci_engine_handle *handle, const char *file, const char *name,
                              unsigned entries, const char *triple, const tci_symbols *symbols,
                              tci_code_unit **unit_out, tc_error *err)
{
    size_t size;
    tci_archive *archive;
    void *bytes = make_archive(file, name, entries, triple, &size);
    assert_int_equal(tci_archive_open(bytes, size, &archive, err), TC_OK);
    tc_status status = tci_engine_load(handle, archive, symbols, unit_out, err);
    tci_archive_close(archive);
    free(bytes);
    return status;
}

static void a_missing_engine_is_reported(void **state)
{
    (void)state;
    tci_engine_handle *handle = NULL;
    tc_error err = {0};
    assert_int_equal(tci_engine_acquire("/no/such/folder", &handle, &err), TC_E_UNSUPPORTED);
    assert_null(handle);
    assert_non_null(strstr(err.text, "no code engine"));
    assert_non_null(strstr(err.text, "/no/such/folder"));
    assert_null(tci_engine_llvm_version("/no/such/folder"));
}

static void another_library_is_no_engine(void **state)
{
    (void)state;
    char folder[] = "/tmp/tc_test_engine_XXXXXX", path[128];
    tci_engine_handle *handle = NULL;
    tc_error err = {0};
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/libtchains-orc.so", folder);
    FILE *f = fopen(path, "w");
    fputs("no library either", f);
    fclose(f);
    assert_int_equal(tci_engine_acquire(folder, &handle, &err), TC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "libtchains-orc.so"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(TEST_DEP, path), 0);
    assert_int_equal(tci_engine_acquire(folder, &handle, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, TCI_ENGINE_SYMBOL));
    unlink(path);
    rmdir(folder);
    assert_null(handle);
}

static void the_version_needs_no_engine(void **state)
{
    (void)state;
    const char *version = tci_engine_llvm_version(TEST_ENGINE_DIR);
    assert_non_null(version);
    assert_true(atoi(version) >= 17);
}

static void an_archive_becomes_callable(void **state)
{
    (void)state;
    tci_engine_handle *first, *second;
    tci_code_unit *unit;
    tc_error err = {0};
    uint64_t out = 0;
    unsigned all = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    assert_int_equal(tci_engine_acquire(TEST_ENGINE_DIR, &first, &err), TC_OK);
    assert_int_equal(tci_engine_acquire(NULL, &second, &err), TC_OK);
    assert_ptr_equal(first, second);
    assert_true(strlen(tci_engine_cpu(first)) > 0);
    assert_true(strlen(tci_engine_features(first)) > 0);
    tci_symbols *symbols = open_symbols("");
    tc_status status = load_archive(first, "counter_bare", "counter", all, tci_triple_host(),
                                    symbols, &unit, &err);
    if (status != TC_OK)
        fail_msg("%s", err.text);
    tci_engine_release(second);
    const tci_entries *entries = tci_code_unit_entries(unit);
    entries->main(NULL, 4, &out);
    assert_int_equal(out, 1004);
    assert_int_equal(entries->max_size(NULL, 1), 8);
    tci_engine_unload(first, unit);
    tci_engine_unload(first, NULL);
    tci_symbols_destroy(symbols);
    tci_engine_release(first);
    tci_engine_release(NULL);
}

static void errors_name_the_function(void **state)
{
    (void)state;
    tci_engine_handle *handle;
    tci_code_unit *unit = NULL;
    tc_error err = {0};
    assert_int_equal(tci_engine_acquire(TEST_ENGINE_DIR, &handle, &err), TC_OK);
    tci_symbols *symbols = open_symbols("");
    assert_int_equal(load_archive(handle, "missing", "missing", TCI_ENTRY_MAIN,
                                  tci_triple_host(), symbols, &unit, &err),
                     TC_E_UNRESOLVED);
    assert_true(strncmp(err.text, "missing: ", 9) == 0);
    assert_non_null(strstr(err.text, "tc_test_absent_function"));
    assert_int_equal(load_archive(handle, "counter", "counter", TCI_ENTRY_MAIN, "riscv64-linux",
                                  symbols, &unit, &err),
                     TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "riscv64-linux"));
    assert_non_null(strstr(err.text, tci_triple_host()));
    assert_null(unit);
    tci_symbols_destroy(symbols);
    tci_engine_release(handle);
}

static void an_engine_can_be_started_again(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        tci_engine_handle *handle;
        assert_int_equal(tci_engine_acquire(TEST_ENGINE_DIR, &handle, NULL), TC_OK);
        tci_engine_release(handle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_engine_is_reported),
        cmocka_unit_test(another_library_is_no_engine),
        cmocka_unit_test(the_version_needs_no_engine),
        cmocka_unit_test(an_archive_becomes_callable),
        cmocka_unit_test(errors_name_the_function),
        cmocka_unit_test(an_engine_can_be_started_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
