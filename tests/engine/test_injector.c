/* Code that comes with a message, as bytes that anybody may have made. */
#include "../support/test.h"
#include "engine/engine.h"
#include "engine/image/code_arena.h"
#include "engine/injector.h"
#include "image_maker.h"

#include <sys/resource.h>
#include <unistd.h>

static tci_engine_handle *engine;
static tci_injector *injector;
static int called;

static void tc_test_called(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
    called++;
}

static const tci_host_symbol host_symbols[] = {
    {"tc_test_called", (void *)(uintptr_t)tc_test_called}};

static int set_up(void **state)
{
    const tci_engine_opts opts = {.form = TCI_CHOICE_IMAGE};
    const tci_symbol_scope scope = {.host = host_symbols, .host_count = 1};
    called = 0;
    return tci_engine_acquire(&opts, &engine, NULL) == TC_OK &&
                   tci_injector_create(tci_engine_arena(engine), true, &scope, &injector,
                                       NULL) == TC_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    tci_injector_destroy(injector);
    tci_engine_release(engine);
    return 0;
}

typedef struct message {
    uint8_t bytes[4096];
    size_t image_size;
    size_t rest_size;
} message;

/* `rest` has its zeros inside. */
static message make(const tci_image_source *source, const char *rest, size_t rest_size)
{
    message m = {.rest_size = rest_size};
    void *image;
    tc_error err = {0};
    if (tci_image_write(source, &image, &m.image_size, &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_true(m.image_size + rest_size <= sizeof m.bytes);
    memcpy(m.bytes, image, m.image_size);
    memcpy(m.bytes + m.image_size, rest, rest_size);
    free(image);
    return m;
}

static tc_status place(const message *m, void (**main_out)(void *, size_t, void *),
                       tc_error *err)
{
    return tci_injector_place(injector, m->bytes, m->image_size, m->rest_size, main_out, err);
}

TEST_WITH(each_call_has_a_copy_of_its_own, set_up, tear_down)
{
    void (*first)(void *, size_t, void *), (*second)(void *, size_t, void *);
    uint64_t value = 0;
    tci_image_source source = image_adding_one();
    const message m = make(&source, "", 1);
    assert_ok(place(&m, &first, NULL));
    assert_ok(place(&m, &second, NULL));
    assert_ptr_not_equal((void *)(uintptr_t)first, (void *)(uintptr_t)second);
    for (unsigned i = 0; i < 1000; i++) {
        assert_ok(place(&m, &first, NULL));
        first(NULL, 0, &value);
    }
    assert_int_equal(value, 1000);
}

TEST_WITH(data_begins_anew, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    uint64_t value = 0;
    tci_image_source source = image_counting(5000);
    const message m = make(&source, "", 1);
    for (unsigned i = 0; i < 50; i++) {
        assert_ok(place(&m, &run, NULL));
        run(NULL, 0, &value);
        assert_int_equal(value, 42);
    }
}

TEST_WITH(imports_are_bound_by_name, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    tc_error err = {0};
    tci_image_source source = image_jumping(false);
    const message good = make(&source, "\0tc_test_called\0", 16);
    assert_ok(place(&good, &run, &err));
    run(NULL, 0, NULL);
    assert_int_equal(called, 1);
    const message nowhere = make(&source, "\0tc_test_nowhere\0", 17);
    assert_status(place(&nowhere, &run, &err), TC_E_UNRESOLVED);
    assert_non_null(strstr(err.text, "tc_test_nowhere"));
    const message unnamed = make(&source, "\0", 1);
    assert_status(place(&unnamed, &run, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "0 names, its image uses 1"));
    const message cut = make(&source, "\0tc_test_called", 15);
    assert_status(place(&cut, &run, &err), TC_E_CORRUPT);
    const message library = make(&source, "libthere-is-none.so.7\0tc_test_called\0", 37);
    assert_status(place(&library, &run, &err), TC_E_NO_LIBRARY);
    assert_ok(place(&good, &run, &err)); /* after all that */
    run(NULL, 0, NULL);
    assert_int_equal(called, 2);
}

/* The bytes that arrived run, independent of the expected ones. */
TEST_WITH(what_is_expected_need_not_come, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    tc_error err = {0};
    tci_image_source sources[] = {image_adding_one(), image_counting(100),
                                  image_counting(5000)};
    message messages[3];
    for (unsigned i = 0; i < 3; i++)
        messages[i] = make(&sources[i], "", 1);
    tci_injector_expect(injector); /* nothing yet */
    for (unsigned i = 0; i < 200; i++) {
        const unsigned which = i / 3 % 3; /* each comes three times */
        uint64_t value = 0;
        tci_injector_expect(injector);
        assert_ok(place(&messages[which], &run, &err));
        run(NULL, 0, &value);
        assert_int_equal(value, which == 0 ? 1 : 42);
    }
}

TEST_WITH(what_was_expected_is_written_for_each, set_up, tear_down)
{
    void (*first)(void *, size_t, void *), (*second)(void *, size_t, void *);
    tc_error err = {0};
    tci_image_source source = image_counting(100);
    const message m = make(&source, "", 1);
    message bad = m;
    uint64_t value = 0;
    assert_ok(place(&m, &first, &err));
    tci_injector_expect(injector);
    tci_injector_expect(injector); /* the message between was refused before its code */
    assert_ok(place(&m, &second, &err));
    assert_ptr_not_equal((void *)(uintptr_t)first, (void *)(uintptr_t)second);
    for (unsigned i = 0; i < 50; i++) { /* with and without: variables start again in each */
        if (i % 3 > 0)
            tci_injector_expect(injector);
        assert_ok(place(&m, &second, &err));
        second(NULL, 0, &value);
        assert_int_equal(value, 42);
    }
    tci_injector_expect(injector);
    bad.bytes[0] = 0xff;
    assert_int_not_equal(place(&bad, &second, &err), TC_OK);
    tci_injector_expect(injector);
    assert_ok(place(&m, &second, &err));
    second(NULL, 0, &value);
    assert_int_equal(value, 42);
}

/* After any number of slots each message has one of its own, with its code. */
TEST_WITH(what_is_written_ahead_is_run_once, set_up, tear_down)
{
    void (*run)(void *, size_t, void *), (*before)(void *, size_t, void *) = NULL;
    tc_error err = {0};
    tci_image_source sources[] = {image_counting(100), image_adding_one()};
    const message m = make(&sources[0], "", 1), other = make(&sources[1], "", 1);
    tci_injector_get_ahead(injector); /* of nothing */
    for (unsigned i = 0; i < 200; i++) {
        uint64_t value = 0;
        if (i % 7 < 3)
            tci_injector_get_ahead(injector);
        else if (i % 7 < 6)
            tci_injector_expect(injector);
        assert_ok(place(&m, &run, &err));
        assert_ptr_not_equal((void *)(uintptr_t)run, (void *)(uintptr_t)before);
        run(NULL, 0, &value);
        assert_int_equal(value, 42);
        before = run;
    }
    for (unsigned i = 0; i < 50; i++) {
        uint64_t value = 7;
        tci_injector_get_ahead(injector);
        assert_ok(place(i % 5 == 0 ? &other : &m, &run, &err));
        run(NULL, 0, &value);
        assert_int_equal(value, i % 5 == 0 ? 8 : 42);
    }
}

TEST_WITH(damage_is_refused, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    tc_error err = {0};
    tci_image_source source = image_counting(64);
    message m = make(&source, "", 1);
    for (size_t size = 0; size < m.image_size; size++) {
        assert_int_not_equal(
            tci_injector_place(injector, m.bytes, size, m.image_size - size, &run, &err),
            TC_OK);
        assert_true(strlen(err.text) > 0);
    }
    m.rest_size = 0;
    assert_status(place(&m, &run, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "no list of libraries"));
    assert_int_not_equal(tci_injector_place(injector, m.bytes, 0, 0, &run, &err), TC_OK);
}

TEST_WITH(another_machines_code_is_refused, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    tc_error err = {0};
    tci_image_source source = image_adding_one();
    source.machine = source.machine == TCI_IMAGE_X86_64 ? TCI_IMAGE_AARCH64 : TCI_IMAGE_X86_64;
    const message m = make(&source, "", 1);
    assert_status(place(&m, &run, &err), TC_E_NO_SLICE);
}

TEST_WITH(too_much_memory_is_refused, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    tc_error err = {0};
    tci_image_source source = image_counting(1u << 20);
    const message m = make(&source, "", 1);
    assert_status(place(&m, &run, &err), TC_E_TOO_LARGE);
}

static size_t address_space_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Some slots were available when memory ran out: they are not used. */
TEST_WITH(a_shortage_leaves_nothing_behind, set_up, tear_down)
{
    void (*run)(void *, size_t, void *);
    tc_error err = {0};
    struct rlimit old, low;
    skip_if_emulated("qemu does not keep this limit");
    if (TCI_SANITIZED)
        skip(); /* its shadow is terabytes of address space */
    tci_image_source source = image_counting(512u << 10);
    const message m = make(&source, "", 1);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    low = old;
    low.rlim_cur = address_space_bytes() + (6u << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    tc_status status = place(&m, &run, &err);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_status(status, TC_E_NO_MEMORY);
    assert_int_equal(tci_code_arena_bytes(tci_engine_arena(engine)), 0);
    for (int i = 0; i < 40; i++) {
        uint64_t out = 0;
        assert_ok(place(&m, &run, &err));
        run(NULL, 0, &out);
        assert_int_equal(out, 42);
    }
}
