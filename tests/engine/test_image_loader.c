/* Images by hand become callable, or are refused with the reason. The suite that all engines
 * pass tests the behaviour of compiled code in them. */
#include "../support/test.h"
#include "image_maker.h"
#include "memory_map.h"

#include "engine/image/image_loader.h"

#include <pthread.h>
#include <unistd.h>

static tci_code_arena *arena;
static tci_symbols *symbols;
static void *seen_payload;
static size_t seen_size;

static void tc_test_called(void *payload, size_t size, void *target_args)
{
    seen_payload = payload;
    seen_size = size;
    *(int *)target_args += 1;
}

static const tci_host_symbol host_symbols[] = {
    {"tc_test_called", (void *)(uintptr_t)tc_test_called}};

static int set_up(void **state)
{
    const tci_symbol_scope scope = {.host = host_symbols, .host_count = 1};
    if (tci_code_arena_create(&arena, NULL) != TC_OK ||
        tci_symbols_create("", 0, &scope, &symbols, NULL) != TC_OK)
        return -1;
    if (getenv("TEST_PROFILED") != NULL)
        tci_code_arena_set_profiled(arena);
    return 0;
}

static int tear_down(void **state)
{
    tci_symbols_destroy(symbols);
    tci_code_arena_destroy(arena);
    return 0;
}

static tci_loaded_image *load(const made_archive *made, tci_entries *entries_out)
{
    tci_loaded_image *loaded;
    tc_error err = {0};
    if (tci_image_loader_load(arena, made->archive, 0, symbols, 0, &loaded, entries_out,
                              &err) != TC_OK)
        fail_msg("%s", err.text);
    return loaded;
}

static made_archive make(const tci_image_source *source)
{
    return make_image_archive("made", source, TCI_CPU_ANY, NULL, 0);
}

TEST(code_alone_runs)
{
    tci_image_source source = image_adding_one();
    made_archive made = make(&source);
    tci_entries entries;
    uint64_t counter = 5;
    tci_loaded_image *loaded = load(&made, &entries);
    free_made(&made); /* nothing of the archive is needed any more */
    entries.main(NULL, 0, &counter);
    entries.main(NULL, 0, &counter);
    assert_int_equal(counter, 7);
    assert_null(entries.max_size);
    assert_null(entries.init);
    tci_image_loader_unload(arena, loaded);
}

/* All of the code has a name, whatever the entries leave over. */
TEST(pieces_are_called_after_entries)
{
    tci_image_source source = image_counting(0);
    source.entries = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    source.main_place = 4;
    source.max_size_place = 12;
    source.init_place = 8;
    made_archive made = make(&source);
    tci_entries entries;
    tci_image_names names;
    tci_loaded_image *loaded = load(&made, &entries);
    uintptr_t begin = (uintptr_t)entries.main - 4;
    tci_image_loader_names(loaded, "made", &names);
    assert_int_equal(names.count, 4);
    assert_string_equal(names.symbols[0].name, "made");
    assert_string_equal(names.symbols[1].name, "made_main");
    assert_string_equal(names.symbols[2].name, "made_payload_init");
    assert_string_equal(names.symbols[3].name, "made_payload_get_max_size");
    for (size_t i = 0; i < names.count; i++) {
        assert_int_equal(names.symbols[i].address, begin);
        begin += names.symbols[i].size;
    }
    assert_int_equal(begin, (uintptr_t)entries.main - 4 + source.segments[0].memory_bytes);
    tci_image_loader_unload(arena, loaded);
    free_made(&made);
}

TEST(data_lives_as_long_as_the_code)
{
    tci_image_source source = image_counting(3 << 20);
    for (uint32_t zeros = 0; zeros <= 3 << 20; zeros += 1 << 20) {
        source.segments[1].memory_bytes = 8 + zeros;
        made_archive made = make(&source);
        tci_entries first_entries, second_entries;
        uint64_t sum = 0;
        tci_loaded_image *first = load(&made, &first_entries);
        tci_loaded_image *second = load(&made, &second_entries);
        first_entries.main(NULL, 0, &sum);
        assert_int_equal(sum, 42);
        first_entries.main(NULL, 0, &sum);
        assert_int_equal(sum, 43);
        second_entries.main(NULL, 0, &sum);
        assert_int_equal(sum, 42);
        tci_image_loader_unload(arena, first);
        first = load(&made, &first_entries);
        first_entries.main(NULL, 0, &sum);
        assert_int_equal(sum, 42);
        tci_image_loader_unload(arena, first);
        tci_image_loader_unload(arena, second);
        free_made(&made);
    }
}

TEST(imports_are_bound)
{
    static const char *const names[] = {"tc_test_called"};
    tci_image_source source = image_jumping(false);
    made_archive made = make_image_archive("made", &source, TCI_CPU_ANY, names, 1);
    tci_entries entries;
    int calls = 0;
    tci_loaded_image *loaded = load(&made, &entries);
    entries.main(&calls, 123, &calls);
    assert_int_equal(calls, 1);
    assert_ptr_equal(seen_payload, &calls);
    assert_int_equal(seen_size, 123);
    tci_image_loader_unload(arena, loaded);
    free_made(&made);
}

TEST(a_weak_name_may_be_missing)
{
    tci_image_source source = image_jumping(true);
    made_archive made = make(&source);
    tci_entries entries;
    tci_loaded_image *loaded = load(&made, &entries);
    tci_image_loader_unload(arena, loaded);
    free_made(&made);
}

static void expect_refused(const made_archive *made, tc_status status, const char *const *parts)
{
    tci_loaded_image *loaded = NULL;
    tci_entries entries = {0};
    tc_error err = {0};
    tc_status found =
        tci_image_loader_load(arena, made->archive, 0, symbols, 0, &loaded, &entries, &err);
    if (found != status)
        fail_msg("%s, expected %s: %s", tc_status_name(found), tc_status_name(status),
                 err.text);
    assert_null(loaded);
    assert_null(entries.main);
    for (; *parts != NULL; parts++) {
        if (strstr(err.text, *parts) == NULL)
            fail_msg("'%s' is not in '%s'", *parts, err.text);
    }
}

TEST(every_missing_symbol_is_named)
{
    static const char *const names[] = {"tc_test_absent_a", "tc_test_absent_b",
                                        "tc_test_called", "zzz_unused"};
    tci_image_source source = image_jumping(false);
    const tci_relocation third[] = {{.kind = TCI_RELOCATION_SYMBOL, .offset = 8, .import = 2}};
    source.relocations = third;
    made_archive made = make_image_archive("made", &source, TCI_CPU_ANY, names, 4);
    expect_refused(&made, TC_E_UNRESOLVED,
                   (const char *const[]){"no library here defines", "tc_test_absent_a",
                                         "tc_test_absent_b", NULL});
    free_made(&made);
}

TEST(many_imports_are_bound)
{
    enum { COUNT = 500 };
    static char text[COUNT][24];
    static const char *names[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(text[i], sizeof text[i], "tc_test_absent_%03d", i);
        names[i] = text[i];
    }
    names[COUNT] = "tc_test_called";
    tci_image_source source = image_jumping(false);
    const tci_relocation last[] = {
        {.kind = TCI_RELOCATION_SYMBOL, .offset = 8, .import = COUNT}};
    source.relocations = last;
    made_archive made = make_image_archive("made", &source, TCI_CPU_ANY, names, COUNT + 1);
    expect_refused(&made, TC_E_UNRESOLVED,
                   (const char *const[]){"tc_test_absent_000", " more", NULL});
    free_made(&made);
}

TEST(another_machine_is_refused)
{
    tci_image_source source = image_adding_one();
    source.machine = source.machine == TCI_IMAGE_X86_64 ? TCI_IMAGE_AARCH64 : TCI_IMAGE_X86_64;
    made_archive made = make(&source);
    expect_refused(&made, TC_E_CORRUPT, (const char *const[]){"machine", NULL});
    free_made(&made);
}

TEST(symbols_beyond_the_list_are_refused)
{
    tci_image_source source = image_jumping(false);
    made_archive made = make(&source);
    expect_refused(&made, TC_E_CORRUPT, (const char *const[]){"symbol", NULL});
    free_made(&made);
}

/* --- nothing is left behind ----------------------------------------------------------- */

static void load_and_unload(const made_archive *made, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        tci_entries entries;
        tci_image_loader_unload(arena, load(made, &entries));
    }
}

TEST(loading_and_unloading_leaves_nothing_behind)
{
    tci_image_source sources[] = {image_adding_one(), image_counting(100)};
    for (size_t i = 0; i < 2; i++) {
        made_archive made = make(&sources[i]);
        load_and_unload(&made, 1000);
        size_t bytes = tci_code_arena_bytes(arena), before = resident_bytes();
        load_and_unload(&made, 100000);
        size_t after = resident_bytes();
        size_t grown = after > before ? after - before : 0;
        assert_int_equal(tci_code_arena_bytes(arena), bytes);
        print_message("100000 rounds: resident memory grew by %zu KiB\n", grown / 1024);
        /* Sanitizers keep freed memory aside, qemu keeps translated code. */
        if (!TCI_SANITIZED && !TEST_EMULATED)
            assert_true(grown < 1u << 20);
        free_made(&made);
    }
}

/* --- no page is ever writable and executable ------------------------------------------ */

enum { THREADS = 4, ROUNDS = 300 };

typedef struct watched {
    made_archive *made;
    size_t kinds;
    _Atomic unsigned running;
} watched;

static intptr_t load_some(const watched *w)
{
    tci_loaded_image *loaded[2];
    intptr_t mistakes = 0;
    size_t count = 0;
    for (; count < w->kinds; count++) {
        tci_entries entries;
        uint64_t out = 41;
        if (tci_image_loader_load(arena, w->made[count].archive, 0, symbols, 0, &loaded[count],
                                  &entries, NULL) != TC_OK)
            break;
        entries.main(NULL, 0, &out);
        mistakes += out != 42;
    }
    mistakes += count != w->kinds;
    while (count > 0)
        tci_image_loader_unload(arena, loaded[--count]);
    return mistakes;
}

static void *load_many(void *argument)
{
    watched *w = argument;
    intptr_t mistakes = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        mistakes += load_some(w);
    w->running--;
    return (void *)mistakes;
}

TEST(no_page_is_ever_writable_and_executable)
{
    tci_image_source sources[] = {image_adding_one(), image_counting(0)};
    made_archive made[] = {make(&sources[0]), make(&sources[1])};
    watched w = {made, 2, THREADS};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_many, &w), 0);
    do
        expect_no_page_writable_and_executable();
    while (w.running > 0);
    for (int i = 0; i < THREADS; i++) {
        void *mistakes;
        assert_int_equal(pthread_join(threads[i], &mistakes), 0);
        assert_null(mistakes);
    }
    for (size_t i = 0; i < 2; i++)
        free_made(&made[i]);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
