/* From an archive to a call, through the process's one engine. */
#include "engine_fixture.h"
#include "image_maker.h"

#include "engine/code_unit.h"
#include "engine/image/image_loader.h"
#include "engine/load_queue.h"

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
    assert_ok(tci_archive_writer_create(name, entries, &writer, &err));
    assert_ok(tci_archive_writer_add(writer, &slice, bytes, size, NULL, 0, &err));
    assert_ok(tci_archive_writer_finish(writer, &archive, size_out, &err));
    tci_archive_writer_destroy(writer);
    free(bytes);
    return archive;
}

static tci_engine_handle *acquire(const char *engine_path, tci_form_choice choice)
{
    tci_engine_handle *handle;
    const tci_engine_opts opts = {.engine_path = engine_path,
                                  .form = choice,
                                  .compiler =
                                      TEST_EMULATED ? TCI_COMPILER_AUTO : TCI_COMPILER_PROCESS};
    assert_ok(tci_engine_acquire(&opts, &handle, NULL));
    return handle;
}

static tc_status load_archive(tci_engine_handle *handle, const char *file, const char *name,
                              unsigned entries, const char *triple, tci_code_unit **unit_out,
                              tc_error *err)
{
    size_t size;
    tci_archive *archive;
    void *bytes = make_archive(file, name, entries, triple, &size);
    assert_ok(tci_archive_open(bytes, size, &archive, err));
    const tci_load_source source = {.archive = archive};
    tc_status status = tci_code_unit_load(handle, &source, unit_out, err);
    tci_archive_close(archive);
    free(bytes);
    return status;
}

TEST(a_missing_engine_is_reported)
{
    tci_code_unit *unit = NULL;
    tc_error err = {0};
    tci_engine_handle *handle = acquire("/no/such/folder", TCI_CHOICE_AUTO);
    assert_status(tci_engine_start(handle, &err), TC_E_UNSUPPORTED);
    assert_status(load_archive(handle, "counter", "counter", TCI_ENTRY_MAIN, tci_triple_host(),
                               &unit, &err),
                  TC_E_UNSUPPORTED);
    assert_null(unit);
    assert_non_null(strstr(err.text, "counter: it is bitcode"));
    assert_non_null(strstr(err.text, "no code engine"));
    assert_non_null(strstr(err.text, "/no/such/folder"));
    assert_null(tci_engine_llvm_version("/no/such/folder"));
    tci_engine_release(handle);
}

TEST(another_library_is_no_engine)
{
    char folder[] = "/tmp/tc_test_engine_XXXXXX", path[128];
    tc_error err = {0};
    assert_non_null(mkdtemp(folder));
    tci_engine_handle *handle = acquire(folder, TCI_CHOICE_AUTO);
    (void)snprintf(path, sizeof path, "%s/libtchains-orc.so", folder);
    FILE *f = fopen(path, "w");
    fputs("no library either", f);
    fclose(f);
    assert_status(tci_engine_start(handle, &err), TC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "libtchains-orc.so"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(TEST_DEP, path), 0);
    assert_status(tci_engine_start(handle, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, TCI_ENGINE_SYMBOL));
    unlink(path);
    rmdir(folder);
    tci_engine_release(handle);
}

static bool llvm_is_loaded(void)
{
    static char maps[1 << 20];
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    maps[fread(maps, 1, sizeof maps - 1, f)] = '\0';
    fclose(f);
    return strstr(maps, "libLLVM") != NULL;
}

/* Statements to peers before any bitcode has come are still true afterwards. */
TEST(the_version_needs_no_llvm)
{
    char version[32];
    tci_engine_handle *handle = acquire(TEST_ENGINE_DIR, TCI_CHOICE_AUTO);
    (void)snprintf(version, sizeof version, "%s", tci_engine_llvm_version(TEST_ENGINE_DIR));
    assert_true(strlen(tci_engine_cpu(handle)) > 0);
    assert_string_equal(tci_engine_features(handle), "");
    assert_false(llvm_is_loaded());
    assert_ok(tci_engine_start(handle, NULL));
    assert_true(llvm_is_loaded());
    assert_string_equal(tci_engine_llvm_version(TEST_ENGINE_DIR), version);
    assert_true(strlen(tci_engine_cpu(handle)) > 0);
    assert_true(strlen(tci_engine_features(handle)) > 0);
    tci_engine_release(handle);
}

TEST(an_archive_becomes_callable)
{
    tci_code_unit *unit;
    tc_error err = {0};
    uint64_t out = 0;
    unsigned all = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    tci_engine_handle *first = acquire(TEST_ENGINE_DIR, TCI_CHOICE_AUTO);
    tci_engine_handle *second = acquire(NULL, TCI_CHOICE_BITCODE);
    tc_status status =
        load_archive(first, "counter_bare", "counter", all, tci_triple_host(), &unit, &err);
    if (status != TC_OK)
        fail_msg("%s", err.text);
    tci_engine_release(second);
    const tci_entries *entries = tci_code_unit_entries(unit);
    entries->main(NULL, 4, &out);
    assert_int_equal(out, 1004);
    assert_int_equal(entries->max_size(NULL, 1), 8);
    tci_code_unit_unload(first, unit);
    tci_code_unit_unload(first, NULL);
    tci_engine_release(first);
    tci_engine_release(NULL);
}

TEST(errors_name_the_function)
{
    tci_code_unit *unit = NULL;
    tc_error err = {0};
    tci_engine_handle *handle = acquire(TEST_ENGINE_DIR, TCI_CHOICE_AUTO);
    assert_status(load_archive(handle, "missing", "missing", TCI_ENTRY_MAIN, tci_triple_host(),
                               &unit, &err),
                  TC_E_UNRESOLVED);
    assert_true(strncmp(err.text, "missing: ", 9) == 0);
    assert_non_null(strstr(err.text, "tc_test_absent_function"));
    assert_status(load_archive(handle, "counter", "counter", TCI_ENTRY_MAIN, "riscv64-linux",
                               &unit, &err),
                  TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "riscv64-linux"));
    assert_non_null(strstr(err.text, tci_triple_host()));
    assert_null(unit);
    tci_engine_release(handle);
}

TEST(an_engine_can_be_started_again)
{
    for (int i = 0; i < 5; i++) {
        tci_engine_handle *handle = acquire(TEST_ENGINE_DIR, TCI_CHOICE_AUTO);
        assert_ok(tci_engine_start(handle, NULL));
        tci_engine_release(handle);
    }
}

/* Bitcode of twin_a, which begins at 100 and adds the payload's size, and images that add one
 * to their argument, for the levels listed. */
static tci_archive *make_both(bool bitcode, const unsigned *levels, void **bytes_out)
{
    tci_archive_writer *writer;
    tci_archive *archive;
    size_t size, archive_size;
    void *image, *twin = read_bitcode("twin_a", &size);
    tci_image_source source = image_adding_one();
    tci_slice slice = {.form = TCI_FORM_BITCODE};
    (void)snprintf(slice.triple, sizeof slice.triple, "%s", tci_triple_host());
    assert_ok(tci_archive_writer_create("twin", TCI_ENTRY_MAIN, &writer, NULL));
    if (bitcode)
        assert_ok(tci_archive_writer_add(writer, &slice, twin, size, NULL, 0, NULL));
    assert_ok(tci_image_write(&source, &image, &size, NULL));
    for (slice.form = TCI_FORM_IMAGE; *levels != 255; levels++) {
        slice.cpu_level = (uint8_t)*levels;
        assert_ok(tci_archive_writer_add(writer, &slice, image, size, NULL, 0, NULL));
    }
    assert_ok(tci_archive_writer_finish(writer, bytes_out, &archive_size, NULL));
    assert_ok(tci_archive_open(*bytes_out, archive_size, &archive, NULL));
    tci_archive_writer_destroy(writer);
    free(image);
    free(twin);
    return archive;
}

#define LEVELS(...) ((const unsigned[]){__VA_ARGS__, 255})
#define NO_LEVELS ((const unsigned[]){255})

/* The chosen form's result for 1000, in an int: 1001 the image, 103 the bitcode. */
static int run_choice(tci_form_choice choice, bool bitcode, const unsigned *levels,
                      tc_error *err)
{
    void *bytes;
    tci_code_unit *unit;
    uint64_t value = 1000;
    tci_engine_handle *handle = acquire(TEST_ENGINE_DIR, choice);
    tci_archive *archive = make_both(bitcode, levels, &bytes);
    const tci_load_source source = {.archive = archive};
    tc_status status = tci_code_unit_load(handle, &source, &unit, err);
    if (status == TC_OK) {
        tci_code_unit_entries(unit)->main(NULL, 3, &value);
        tci_code_unit_unload(handle, unit);
    }
    tci_archive_close(archive);
    free(bytes);
    tci_engine_release(handle);
    return status == TC_OK ? (int)value : (int)status;
}

TEST(the_form_is_chosen)
{
    tc_error err = {0};
    assert_int_equal(run_choice(TCI_CHOICE_AUTO, true, LEVELS(0), NULL), 1001);
    assert_int_equal(run_choice(TCI_CHOICE_AUTO, true, NO_LEVELS, NULL), 103);
    assert_int_equal(run_choice(TCI_CHOICE_AUTO, false, LEVELS(0), NULL), 1001);
    assert_int_equal(run_choice(TCI_CHOICE_IMAGE, true, LEVELS(0), NULL), 1001);
    assert_int_equal(run_choice(TCI_CHOICE_BITCODE, true, LEVELS(0), NULL), 103);
    assert_status(run_choice(TCI_CHOICE_IMAGE, true, NO_LEVELS, &err), TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "image"));
    assert_status(run_choice(TCI_CHOICE_BITCODE, false, LEVELS(0), &err), TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "bitcode"));
}

/* Every number that names no level of this architecture, and levels that this CPU lacks. */
TEST(images_of_other_levels_are_passed_by)
{
    tc_error err = {0};
    unsigned own = tci_image_cpu_level();
    assert_non_null(tci_cpu_level_text(tci_triple_host(), own));
    assert_int_equal(run_choice(TCI_CHOICE_IMAGE, false, LEVELS(own), NULL), 1001);
    assert_int_equal(run_choice(TCI_CHOICE_AUTO, true, LEVELS(own + 1), NULL), 103);
    assert_int_equal(run_choice(TCI_CHOICE_AUTO, true, LEVELS(9), NULL), 103);
    assert_status(run_choice(TCI_CHOICE_AUTO, false, LEVELS(own + 1), &err), TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, tci_cpu_level_text(tci_triple_host(), own)));
}

/* The quick code is there at once, so a waiter for better code gets that. */
TEST(code_that_takes_too_long_to_optimise_runs_as_it_is)
{
    tci_engine_handle *handle;
    tci_code_unit *unit;
    tc_load_report report = {0};
    tc_error err = {0};
    uint64_t out = 0;
    const tci_engine_opts opts = {.engine_path = TEST_ENGINE_DIR,
                                  .form = TCI_CHOICE_BITCODE,
                                  .tier = TCI_TIER_BEST,
                                  .compile_time_max_ns = 5000000000,
                                  .compile_memory_max = 1ull << 30};
    skip_if_emulated("its compiler has no process of its own, which could be ended");
    if (TCI_SANITIZED)
        skip(); /* it has no limit of memory */
    assert_ok(tci_engine_acquire(&opts, &handle, NULL));
    if (load_archive(handle, "growing", "growing", TCI_ENTRY_MAIN, tci_triple_host(), &unit,
                     &err) != TC_OK)
        fail_msg("%s", err.text);
    tci_code_unit_report(unit, &report);
    assert_false(report.best);
    tci_code_unit_entries(unit)->main(NULL, 7, &out);
    assert_int_not_equal(out, 0);
    tci_code_unit_unload(handle, unit);
    tci_engine_release(handle);
}

/* All threads that may compile do. */
TEST(what_needs_no_compiler_waits_for_none)
{
    tci_engine_handle *handle;
    tci_load_job *endless = NULL, *brief = NULL;
    tci_code_unit *unit = NULL, *old;
    tci_archive *archive;
    size_t size;
    tc_error err = {0};
    uint64_t value = 1000;
    static const char deps[] = TEST_DEP_NAME "\n";
    const tci_engine_opts opts = {.engine_path = TEST_ENGINE_DIR,
                                  .compile_threads = 1,
                                  .compile_time_max_ns = 60000000000};
    skip_if_emulated("its compiler has no process of its own, which could be ended");
    assert_ok(tci_engine_acquire(&opts, &handle, NULL));
    void *bytes = make_archive("endless", "endless", TCI_ENTRY_MAIN, tci_triple_host(), &size);
    assert_ok(tci_archive_open(bytes, size, &archive, &err));
    const tci_load_source compiled = {.archive = archive};
    assert_status(tci_load_queue_begin(handle, &compiled, &unit, &endless, &err), TC_E_AGAIN);

    const tci_image_source image = image_adding_one();
    made_archive made = make_image_archive("adding", &image, 0, NULL, 0);
    const tci_load_source placed = {
        .archive = made.archive, .deps = deps, .deps_size = sizeof deps - 1};
    assert_status(tci_load_queue_begin(handle, &placed, &unit, &brief, &err), TC_E_AGAIN);
    if (tci_load_queue_finish(brief, &unit, &old, &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_false(tci_load_queue_is_done(endless));
    tci_code_unit_entries(unit)->main(NULL, 0, &value);
    assert_int_equal(value, 1001);
    tci_code_unit_unload(handle, unit);
    free_made(&made);
    tci_load_queue_cancel(endless);
    tci_archive_close(archive);
    free(bytes);
    tci_engine_release(handle);
}
