#include "engine_fixture.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "engine/engine_module.h"
#include "engine/image/code_arena.h"
#include "engine/linked_code.h"

const tci_engine_ops *ops;
tci_engine *engine;
static tci_code_arena *arena;  /* of images that the compiler makes */
static tci_compiler *compiler; /* NULL: the engine itself compiles */

static void log_line(tc_log_level level, const char *line)
{
    fprintf(stderr, "engine log %d: %s\n", (int)level, line);
}

tci_compiler *start_compiler(uint64_t time_max_ns)
{
    tc_error err;
    tci_compiler *result;
    const tci_compiler_opts opts = {
        .ops = ops, .time_max_ns = time_max_ns, .memory_max = 2ull << 30};
    if (tci_compiler_start(&opts, &result, &err) != TC_OK)
        fail_msg("%s", err.text);
    assert_true(tci_compiler_pid(result) > 0);
    return result;
}

bool compiles_images(void)
{
    const char *made = getenv("TEST_COMPILED");
    return made != NULL && strcmp(made, "image") == 0;
}

int engine_set_up(void **state)
{
    tc_error err;
    const char *where = getenv("TEST_COMPILER");
    if (tci_engine_module_open(TEST_ENGINE_DIR, &ops, &err) != TC_OK ||
        ops->create(log_line, &engine, &err) != TC_OK) {
        fprintf(stderr, "engine: %s\n", err.text);
        return -1;
    }
    if (tci_code_arena_create(&arena, &err) != TC_OK)
        return -1;
    if (where != NULL && strcmp(where, "process") == 0)
        compiler = start_compiler(60 * TCI_NS_PER_S);
    return 0;
}

int engine_tear_down(void **state)
{
    if (compiler != NULL)
        assert_true(tci_compiler_pid(compiler) > 0); /* it did not give up on processes */
    tci_compiler_end(compiler);
    ops->destroy(engine);
    tci_code_arena_destroy(arena);
    return 0;
}

void *read_bitcode(const char *file, size_t *size_out)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.bc", TEST_BITCODE_DIR, file);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size_out = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    assert_true(*size_out > 0 && *size_out < 1 << 20);
    return bytes;
}

/* The suites run once for each level. */
static tci_code_level test_level(void)
{
    const char *level = getenv("TEST_LEVEL");
    return level != NULL && strcmp(level, "best") == 0 ? TCI_LEVEL_OPTIMISED
                                                       : TCI_LEVEL_BASELINE;
}

tci_engine_code code_of(const char *name, const void *bytes, size_t size, tci_symbols *symbols)
{
    tci_engine_code code = {
        .name = name,
        .entries = TCI_ENTRY_MAIN,
        .level = test_level(),
        .bytes = bytes,
        .size = size,
        .output = compiles_images() ? TCI_OUTPUT_IMAGE : TCI_OUTPUT_OBJECT,
    };
    if (symbols != NULL)
        tci_symbols_serve(symbols, &code);
    return code;
}

/* Behind the type that the engine's own code has: its requester only unloads it. */
static tc_status load_image(const tci_engine_code *code, const tci_object *object,
                            tci_loaded **loaded_out, tci_entries *entries_out, tc_error *err)
{
    tci_linked_code *linked;
    const tci_engine_shared shared = {.ops = ops, .engine = engine};
    const tci_link_request request = {
        .shared = &shared, .arena = arena, .code = code, .symbols = code->resolve_user};
    TC_TRY(
        tci_linked_code_make(&request, object->bytes, object->size, &linked, entries_out, err));
    *loaded_out = (tci_loaded *)linked;
    return TC_OK;
}

void unload_code(tci_loaded *loaded)
{
    if (compiles_images())
        tci_linked_code_free((tci_linked_code *)loaded);
    else
        ops->unload(engine, loaded);
}

tc_status load_code(const tci_engine_code *code, tci_loaded **loaded_out,
                    tci_entries *entries_out, tc_error *err)
{
    tci_object object;
    tc_status status;
    if (compiler != NULL)
        TC_TRY(tci_compiler_compile(compiler, engine, code, &object, err));
    else
        TC_TRY(ops->compile(engine, code, &object, err));
    if (code->output == TCI_OUTPUT_IMAGE)
        status = load_image(code, &object, loaded_out, entries_out, err);
    else
        status = ops->link(engine, code, object.bytes, object.size, NULL, loaded_out,
                           entries_out, err);
    free(object.bytes);
    return status;
}

loaded_file load_file(const char *file, const char *name, unsigned entries, const char *deps)
{
    size_t size;
    tc_error err = {0};
    loaded_file result = {.symbols = open_symbols(deps)};
    void *bytes = read_bitcode(file, &size);
    tci_engine_code code = code_of(name, bytes, size, result.symbols);
    code.entries = entries;
    tci_loaded *loaded = NULL;
    tc_status status = load_code(&code, &loaded, &result.entries, &err);
    result.loaded = loaded;
    free(bytes);
    if (status != TC_OK)
        fail_msg("%s: %s", file, err.text);
    assert_non_null(result.entries.main);
    return result;
}

void unload_file(loaded_file *file)
{
    unload_code(file->loaded);
    tci_symbols_destroy(file->symbols);
}

static void expect_refused(const tci_engine_code *code, const tci_symbols *symbols,
                           tc_status status, const char *const *parts)
{
    tc_error err = {0};
    tci_loaded *loaded = NULL;
    tci_entries entries = {0};
    tc_status found = load_code(code, &loaded, &entries, &err);
    found = tci_symbols_explain(symbols, found, &err);
    if (found != status)
        fail_msg("%s: status %s, expected %s: %s", code->name, tc_status_name(found),
                 tc_status_name(status), err.text);
    assert_int_equal(err.status, status);
    assert_null(loaded);
    assert_null(entries.main);
    for (; *parts != NULL; parts++) {
        if (strstr(err.text, *parts) == NULL)
            fail_msg("%s: '%s' is not in '%s'", code->name, *parts, err.text);
    }
}

void expect_refused_bytes(const void *bytes, size_t size, const char *name, tc_status status,
                          const char *const *parts)
{
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of(name, bytes, size, symbols);
    expect_refused(&code, symbols, status, parts);
    tci_symbols_destroy(symbols);
}

void expect_refusal(const char *file, const char *name, unsigned entries, tc_status status,
                    const char *const *parts)
{
    size_t size;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode(file, &size);
    tci_engine_code code = code_of(name, bytes, size, symbols);
    code.entries = entries;
    expect_refused(&code, symbols, status, parts);
    free(bytes);
    tci_symbols_destroy(symbols);
}
