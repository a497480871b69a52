/* Images that a compiler returns: better code keeps the variables of quick code, and every
 * output of a compromised compiler is refused or is just code. */
#include "engine_fixture.h"

#include "base/clock.h"
#include "engine/engine_module.h"
#include "engine/image/code_arena.h"
#include "engine/linked_code.h"
#include "image_bundle.h"

static tci_code_arena *arena;
static tci_symbols *symbols;

static int set_up(void **state)
{
    if (engine_set_up(state) != 0 || tci_code_arena_create(&arena, NULL) != TC_OK)
        return -1;
    symbols = open_symbols("");
    return 0;
}

static int tear_down(void **state)
{
    tci_symbols_destroy(symbols);
    tci_code_arena_destroy(arena);
    return engine_tear_down(state);
}

static tci_engine_code counter_code(void *bytes, size_t size, tci_code_level level)
{
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    code.level = level;
    code.output = TCI_OUTPUT_IMAGE;
    return code;
}

static tci_object compile(const tci_engine_code *code)
{
    tc_error err;
    tci_object object;
    if (ops->compile(engine, code, &object, &err) != TC_OK)
        fail_msg("%s", err.text);
    return object;
}

static tc_status try_link(const tci_engine_code *code, const void *bytes, size_t size,
                          const tci_linked_code *base, tci_linked_code **linked_out,
                          tci_entries *entries_out, tc_error *err)
{
    tci_engine_ops no_linker = *ops;
    no_linker.link = NULL; /* LLVM's has no part in it */
    const tci_engine_shared shared = {.ops = &no_linker, .engine = engine};
    const tci_link_request request = {&shared, arena, code, symbols, base};
    return tci_linked_code_make(&request, bytes, size, linked_out, entries_out, err);
}

static tci_linked_code *link_it(const tci_engine_code *code, const tci_object *object,
                                const tci_linked_code *base, tci_entries *entries_out)
{
    tc_error err;
    tci_linked_code *linked;
    if (try_link(code, object->bytes, object->size, base, &linked, entries_out, &err) != TC_OK)
        fail_msg("%s", err.text);
    return linked;
}

static uint64_t count(const tci_entries *entries)
{
    uint64_t result = 0;
    entries->main(NULL, 0, &result);
    return result / 1000; /* see ifuncs/counter.c */
}

TEST(better_code_goes_on_with_the_variables)
{
    size_t size;
    tci_entries quick_entries, best_entries;
    void *bytes = read_bitcode("counter", &size);
    const tci_engine_code quick = counter_code(bytes, size, TCI_LEVEL_BASELINE);
    const tci_engine_code best = counter_code(bytes, size, TCI_LEVEL_OPTIMISED_SHARED);
    tci_object first = compile(&quick), second = compile(&best);
    tci_linked_code *base = link_it(&quick, &first, NULL, &quick_entries);
    assert_true(tci_linked_code_writable(base) > 0);
    uint64_t before = count(&quick_entries);
    assert_int_equal(count(&quick_entries), before + 1);
    tci_linked_code *better = link_it(&best, &second, base, &best_entries);
    assert_true(best_entries.main != quick_entries.main);
    assert_int_equal(count(&best_entries), before + 2);
    assert_int_equal(count(&quick_entries), before + 3);
    assert_int_equal(count(&best_entries), before + 4);
    tci_linked_code_free(better);
    assert_int_equal(count(&quick_entries), before + 5);
    tci_linked_code_free(base);
    free(first.bytes);
    free(second.bytes);
    free(bytes);
}

static void expect_either(const char *file, const char *name, bool debuggable, bool is_image)
{
    tc_error err;
    size_t size;
    tci_entries entries;
    tci_linked_code *linked;
    void *bytes = read_bitcode(file, &size);
    uint64_t result = 0;
    tci_engine_code code = code_of(name, bytes, size, symbols);
    code.output = TCI_OUTPUT_EITHER;
    code.debuggable = debuggable;
    tci_object object = compile(&code);
    assert_int_equal(tci_image_bundle_has_magic(object.bytes, object.size), is_image);
    const tci_engine_shared shared = {.ops = ops, .engine = engine};
    const tci_link_request request = {&shared, arena, &code, symbols, NULL};
    if (tci_linked_code_make(&request, object.bytes, object.size, &linked, &entries, &err) !=
        TC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(tci_linked_code_output(linked),
                     is_image ? TCI_OUTPUT_IMAGE : TCI_OUTPUT_OBJECT);
    entries.main(NULL, 0, &result);
    assert_true(result > 0);
    tci_linked_code_free(linked);
    free(object.bytes);
    free(bytes);
}

TEST(either_is_an_image_unless_it_cannot_be_one)
{
    expect_either("counter", "counter", false, true);
    expect_either("counter", "counter", true, false);
    expect_either("counter_debug", "counter", false, false);
    expect_either("packed_pointer", "packed_pointer", false, false);
}

TEST(an_image_alone_cannot_hold_a_packed_pointer)
{
    tc_error err;
    size_t size;
    tci_object object;
    void *bytes = read_bitcode("packed_pointer", &size);
    tci_engine_code code = code_of("packed_pointer", bytes, size, symbols);
    code.output = TCI_OUTPUT_IMAGE;
    assert_status(ops->compile(engine, &code, &object, &err), TC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "option compiled is image"));
    free(bytes);
}

TEST(functions_have_their_names)
{
    size_t size;
    tci_entries entries;
    const tci_code_symbol *named;
    void *bytes = read_bitcode("counter", &size);
    const tci_engine_code code = counter_code(bytes, size, TCI_LEVEL_BASELINE);
    tci_object object = compile(&code);
    tci_linked_code *linked = link_it(&code, &object, NULL, &entries);
    size_t found = tci_linked_code_symbols(linked, &named), main_at = 0;
    for (size_t i = 0; i < found; i++) {
        assert_true(named[i].size > 0);
        if (strcmp(named[i].name, "counter_main") == 0)
            main_at = named[i].address;
    }
    assert_true(main_at == (uintptr_t)entries.main);
    assert_true(tci_linked_code_memory(linked) >= 4096);
    tci_linked_code_free(linked);
    free(object.bytes);
    free(bytes);
}

static void expect_refused_link(const tci_engine_code *code, const tci_object *object,
                                const tci_linked_code *base, tc_status status, const char *part)
{
    tci_linked_code *linked = NULL;
    tci_entries entries;
    tc_error err = {0};
    tc_status found =
        try_link(code, object->bytes, object->size, base, &linked, &entries, &err);
    if (found != status || strstr(err.text, part) == NULL)
        fail_msg("%s: %s, expected %s with '%s'", tc_status_name(found), err.text,
                 tc_status_name(status), part);
    assert_null(linked);
}

TEST(what_was_not_asked_for_is_refused)
{
    size_t size;
    tci_entries entries;
    void *bytes = read_bitcode("counter", &size);
    tci_engine_code quick = counter_code(bytes, size, TCI_LEVEL_BASELINE);
    const tci_engine_code best = counter_code(bytes, size, TCI_LEVEL_OPTIMISED);
    const tci_engine_code shared = counter_code(bytes, size, TCI_LEVEL_OPTIMISED_SHARED);
    tci_object object = compile(&quick), other = compile(&best), sharing = compile(&shared);
    tci_object garbage = {.bytes = "got through", .size = 11};
    expect_refused_link(&quick, &garbage, NULL, TC_E_CORRUPT, "magic");
    expect_refused_link(&best, &object, NULL, TC_E_CORRUPT, "level 0, expected 1");
    /* Owners of variables. */
    expect_refused_link(&shared, &sharing, NULL, TC_E_CORRUPT, "that code has 0");
    tci_linked_code *base = link_it(&best, &other, NULL, &entries);
    expect_refused_link(&shared, &sharing, base, TC_E_CORRUPT, "that code has 0");
    tci_linked_code_free(base);
    quick.entries = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    expect_refused_link(&quick, &object, NULL, TC_E_CORRUPT, "entry bits 1, expected 1 and 7");
    quick.entries = TCI_ENTRY_MAIN;
    quick.memory_max = 4095;
    expect_refused_link(&quick, &object, NULL, TC_E_TOO_LARGE, "code_memory_max");
    free(object.bytes);
    free(other.bytes);
    free(sharing.bytes);
    free(bytes);
}

/* Every byte takes several other values: images still accepted are loaded, and not called. */
TEST(damaged_images_do_no_harm)
{
    static const uint8_t masks[] = {0x01, 0x08, 0x40, 0x80, 0xff};
    size_t size, taken = 0, refused = 0;
    void *bytes = read_bitcode("libc_calls", &size);
    tci_engine_code code = counter_code(bytes, size, TCI_LEVEL_BASELINE);
    code.name = "libc_calls";
    tci_object object = compile(&code);
    for (size_t i = 0; i < object.size * sizeof masks; i++) {
        uint8_t *byte = (uint8_t *)object.bytes + i / sizeof masks;
        tci_linked_code *linked;
        tci_entries entries;
        tc_error err = {0};
        *byte ^= masks[i % sizeof masks];
        if (try_link(&code, object.bytes, object.size, NULL, &linked, &entries, &err) ==
            TC_OK) {
            tci_linked_code_free(linked);
            taken++;
        } else {
            assert_true(err.text[0] != '\0');
            refused++;
        }
        *byte ^= masks[i % sizeof masks];
    }
    assert_true(taken > 0 && refused > 0); /* machine code is not looked at */
    free(object.bytes);
    free(bytes);
}

/* The names of a compiled image go the same way as those of one that was shipped. */
TEST(rules_hold_for_what_a_compiler_asks_for)
{
    size_t size;
    tci_linked_code *linked;
    tci_entries entries;
    tc_error err = {0};
    void *bytes = read_bitcode("libc_calls", &size);
    tci_engine_code code = counter_code(bytes, size, TCI_LEVEL_BASELINE);
    code.name = "libc_calls";
    tci_object object = compile(&code); /* under no policy, as if the compiler lied */
    tci_symbols *all = symbols;
    under_policy("deny * *\n");
    symbols = open_symbols("");
    assert_status(try_link(&code, object.bytes, object.size, NULL, &linked, &entries, &err),
                  TC_E_UNRESOLVED);
    assert_non_null(strstr(err.text, "rules line 1"));
    tci_symbols_destroy(symbols);
    under_policy(NULL);
    symbols = all;
    free(object.bytes);
    free(bytes);
}

/* A process that answers with "got through" whatever it is asked. */
TEST(a_hostile_compiler_costs_the_function_alone)
{
    const tci_engine_ops *hostile;
    tci_compiler *c;
    tci_object object;
    tci_engine_code code = {
        .name = "nothing", .entries = TCI_ENTRY_MAIN, .bytes = "BC", .size = 2};
    skip_if_emulated("an emulated program cannot start another one");
    code.output = TCI_OUTPUT_IMAGE;
    assert_ok(tci_engine_module_open(TEST_HOSTILE_DIR, &hostile, NULL));
    const tci_compiler_opts opts = {.ops = hostile, .time_max_ns = 60 * TCI_NS_PER_S};
    assert_ok(tci_compiler_start(&opts, &c, NULL));
    assert_ok(tci_compiler_compile(c, NULL, &code, &object, NULL));
    expect_refused_link(&code, &object, NULL, TC_E_CORRUPT, "magic");
    free(object.bytes);
    assert_ok(tci_compiler_compile(c, NULL, &code, &object, NULL));
    free(object.bytes);
    tci_compiler_end(c);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
