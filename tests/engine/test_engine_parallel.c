/* Many loads: from several threads at once, and one after the other without a leak. */
#include "engine_fixture.h"
#include "memory_map.h"

#include <pthread.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS (TEST_EMULATED ? 3 : 25)
#define LEAK_ROUNDS (TEST_EMULATED ? 50 : 1000)

typedef struct file_bytes {
    const char *name;
    const char *function;
    void *bytes;
    size_t size;
} file_bytes;

static file_bytes files[] = {
    {"counter", "counter", NULL, 0},   {"hash_map", "hash_map", NULL, 0},
    {"uses_dep", "uses_dep", NULL, 0}, {"missing", "missing", NULL, 0},
    {"twin_a", "twin", NULL, 0},
};
#define TWIN 4
#define FILES (sizeof files / sizeof files[0])

static int load(const file_bytes *file, const char *deps, tci_symbols **symbols_out,
                tci_loaded **loaded_out, tci_entries *entries_out)
{
    tc_error err = {0};
    tci_symbols *symbols;
    if (tci_symbols_create(deps, strlen(deps), &(tci_symbol_scope){0}, &symbols, &err) != TC_OK)
        return -1;
    tci_engine_code code = code_of(file->function, file->bytes, file->size, symbols);
    tc_status status = load_code(&code, loaded_out, entries_out, &err);
    if (status != TC_OK) {
        tci_symbols_destroy(symbols);
        return status == TC_E_UNRESOLVED && strstr(err.text, "tc_test_absent_function") != NULL
                   ? 1
                   : -1;
    }
    *symbols_out = symbols;
    return 0;
}

/* Every thread loads, runs and unloads; its result must be its own. Returns the number of
 * mistakes. */
static _Atomic unsigned working;

static void *work(void *argument)
{
    long mistakes = 0;
    uintptr_t thread = (uintptr_t)argument;
    const char *deps = thread % 2 == 0 ? "libtest_dep_a.so" : "libtest_dep_b.so";
    int dep_result = thread % 2 == 0 ? 11 : 22;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < FILES; i++) {
            tci_symbols *symbols;
            tci_loaded *loaded;
            tci_entries entries;
            uint64_t out[512] = {0};
            int result = load(&files[i], deps, &symbols, &loaded, &entries);
            if (result != (i == 3 ? 1 : 0))
                mistakes++;
            if (result != 0)
                continue;
            entries.main(out, i == 1 ? 0 : 3, out);
            mistakes += i == 0 && out[0] != 1003;
            mistakes += i == 2 && (int)out[0] != dep_result;
            mistakes += i == TWIN && (int)out[0] != 103;
            ops->unload(engine, loaded);
            tci_symbols_destroy(symbols);
        }
    }
    working--;
    return (void *)(intptr_t)mistakes;
}

TEST(threads_load_at_once)
{
    pthread_t threads[THREADS];
    working = THREADS;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (; working > 0; usleep(1000))
        expect_no_page_writable_and_executable();
    for (int i = 0; i < THREADS; i++) {
        void *mistakes;
        assert_int_equal(pthread_join(threads[i], &mistakes), 0);
        assert_int_equal((intptr_t)mistakes, 0);
    }
}

static void load_and_unload(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        tci_symbols *symbols;
        tci_loaded *loaded;
        tci_entries entries;
        assert_int_equal(load(&files[TWIN], "", &symbols, &loaded, &entries), 0);
        ops->unload(engine, loaded);
        tci_symbols_destroy(symbols);
    }
}

TEST(unloading_gives_everything_back)
{
    load_and_unload(LEAK_ROUNDS / 10);
    size_t before = resident_bytes();
    load_and_unload(LEAK_ROUNDS);
    size_t after = resident_bytes();
    size_t grown = after > before ? after - before : 0;
    print_message("%d rounds: resident memory grew by %zu KiB\n", LEAK_ROUNDS, grown / 1024);
    /* Sanitizers keep freed memory aside, qemu keeps translated code. */
    if (!TCI_SANITIZED && !TEST_EMULATED)
        assert_true(grown < 2u << 20);
}

TEST(many_stay_loaded)
{
    enum { COUNT = 200 };
    static loaded_file all[COUNT];
    size_t before = resident_bytes();
    for (int i = 0; i < COUNT; i++)
        all[i] = load_file("twin_a", "twin", TCI_ENTRY_MAIN, "");
    size_t after = resident_bytes();
    print_message("%d functions: %zu KiB each\n", COUNT, (after - before) / COUNT / 1024);
    for (int i = 0; i < COUNT; i++) {
        int out = 0;
        all[i].entries.main(NULL, (size_t)i, &out);
        assert_int_equal(out, 100 + i);
    }
    for (int i = 0; i < COUNT; i++)
        unload_file(&all[i]);
}

static int set_up(void **state)
{
    for (size_t i = 0; i < FILES; i++)
        files[i].bytes = read_bitcode(files[i].name, &files[i].size);
    return engine_set_up(state);
}

static int tear_down(void **state)
{
    for (size_t i = 0; i < FILES; i++)
        free(files[i].bytes);
    return engine_tear_down(state);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
