/* The linker alone: objects made once, linked and unlinked many times. */
#include "engine_fixture.h"
#include "memory_map.h"

#include "engine/orc/elf_object.h"
#include "engine/orc/jit_linker.h"
#include "engine/orc/llvm_compat.h"
#include "engine/orc/object_bounds.h"
#include "engine/orc/object_emit.h"

#include <dlfcn.h>
#include <unistd.h>

static tci_host_target host;
static tci_jit_linker *linker;

static tci_object compile(const tci_engine_code *code)
{
    tci_object object;
    tc_error err = {0};
    if (tci_object_emit(&host, code, &object, &err) != TC_OK)
        fail_msg("%s", err.text);
    return object;
}

static tci_object_view view_of(const tci_object *object)
{
    tci_object_view view;
    assert_ok(tci_object_emit_open(object->bytes, object->size, &view, NULL));
    return view;
}

static tci_loaded *link_copy(const tci_object *object, const tci_engine_code *code)
{
    tci_loaded *loaded;
    tci_entries entries;
    tc_error err = {0};
    tci_object_view view = view_of(object);
    if (tci_jit_link(linker, &view, code, NULL, &loaded, &entries, &err) != TC_OK)
        fail_msg("%s", err.text);
    int out[512] = {0};
    entries.main(out, 0, out);
    return loaded;
}

TEST(linked_memory_is_what_was_said)
{
    size_t size, page = (size_t)sysconf(_SC_PAGESIZE);
    void *bytes = read_bitcode("counter", &size);
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    tci_object object = compile(&code);
    size_t before = fixed_memory_bytes();
    tci_loaded *loaded = link_copy(&object, &code);
    /* And a page for its counter, which may lie beside other memory that can be written. */
    assert_int_equal(tci_jit_memory(loaded), fixed_memory_bytes() - before + page);
    assert_ok(tci_jit_unlink(linker, loaded, NULL));
    assert_int_equal(fixed_memory_bytes(), before);
    free(object.bytes);
    tci_symbols_destroy(symbols);
    free(bytes);
}

/* --- names ------------------------------------------------------------------------------ */

typedef struct linked {
    tci_symbols *symbols;
    void *bytes;
    tci_object object;
    tci_engine_code code;
    tci_loaded *loaded;
} linked;

static linked link_file(const char *file, const char *name, unsigned entries, bool debuggable)
{
    size_t size;
    linked l = {.symbols = open_symbols(""), .bytes = read_bitcode(file, &size)};
    l.code = code_of(name, l.bytes, size, l.symbols);
    l.code.entries = entries;
    l.code.debuggable = debuggable;
    l.object = compile(&l.code);
    l.loaded = link_copy(&l.object, &l.code);
    return l;
}

static void unlink_all(linked *l)
{
    assert_ok(tci_jit_unlink(linker, l->loaded, NULL));
    free(l->object.bytes);
    free(l->bytes);
    tci_symbols_destroy(l->symbols);
}

static const tci_code_symbol *find_name(const linked *l, const char *name)
{
    const tci_code_symbol *symbols;
    size_t count = tci_jit_symbols(l->loaded, &symbols);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(symbols[i].name, name) == 0)
            return &symbols[i];
    }
    fail_msg("no piece of code is called %s", name);
    return NULL;
}

TEST(every_function_has_a_name)
{
    linked l = link_file("counter", "counter",
                         TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, false);
    const tci_code_symbol *main = find_name(&l, "counter_main");
    const tci_code_symbol *max_size = find_name(&l, "counter_payload_get_max_size");
    uint64_t out = 0;
    assert_true(main->size > 0 && main->size < 4096);
    assert_true(max_size->address >= main->address + main->size ||
                max_size->address + max_size->size <= main->address);
    ((void (*)(void *, size_t, void *))main->address)(NULL, 4, &out);
    assert_int_equal(out, 2004);
    assert_int_equal(((size_t(*)(void *, size_t))max_size->address)(NULL, 1), 8);
    unlink_all(&l);
    l = link_file("twin_a", "twin", TCI_ENTRY_MAIN, false);
    assert_true(find_name(&l, "twin:twin_helper")->size > 0);
    unlink_all(&l);
}

/* The data that GDB reads: a list of object files, announced by a call of the function. */
typedef struct debugged_code {
    struct debugged_code *next;
    struct debugged_code *previous;
    const char *file;
    uint64_t size;
} debugged_code;

static const struct {
    uint32_t version;
    uint32_t action;
    debugged_code *relevant;
    debugged_code *first;
} * debugger;

static unsigned known_to_debuggers(void)
{
    unsigned count = 0;
    for (const debugged_code *c = debugger->first; c != NULL; c = c->next)
        count++;
    return count;
}

TEST(debuggers_hear_of_what_has_debug_information)
{
    const unsigned all = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    debugger = dlsym(RTLD_DEFAULT, "__jit_debug_descriptor");
    assert_non_null(debugger);
    unsigned before = known_to_debuggers();
    linked plain = link_file("counter", "counter", all, false);
    assert_int_equal(known_to_debuggers(), before);
    linked with_lines = link_file("counter_debug", "counter", all, false);
    assert_int_equal(known_to_debuggers(), before + 1);
    linked wanted = link_file("counter", "counter", all, true);
    assert_int_equal(known_to_debuggers(), before + 2);
    unlink_all(&plain);
    assert_int_equal(known_to_debuggers(), before + 2);
    unlink_all(&with_lines);
    unlink_all(&wanted);
    assert_int_equal(known_to_debuggers(), before);
}

static uint64_t frames_seen_by(const char *file, bool debuggable)
{
    uint64_t frames = 0;
    linked l = link_file(file, "unwinds", TCI_ENTRY_MAIN, debuggable);
    const tci_code_symbol *main = find_name(&l, "unwinds_main");
    ((void (*)(void *, size_t, void *))main->address)(NULL, 0, &frames);
    unlink_all(&l);
    return frames;
}

/* Arriving code has no unwind tables; code to be debugged gets them here. */
TEST(callers_are_seen_through_code_to_be_debugged)
{
    uint64_t plain = frames_seen_by("unwinds_bare", false);
    uint64_t wanted = frames_seen_by("unwinds_bare", true);
    assert_true(wanted > plain);
    assert_int_equal(frames_seen_by("unwinds_debug", false), wanted);
}

/* --- memory ----------------------------------------------------------------------------- */

static long rounds_wanted(void)
{
    const char *text = getenv("ROUNDS");
    return text != NULL ? strtol(text, NULL, 10) : TEST_EMULATED ? 60 : 300;
}

/* By hand with ROUNDS=100000: a leak of each link would be seen at 10 bytes each. */
static void leave_nothing_behind(const char *file, bool debuggable, long rounds)
{
    linked l = link_file(file, "counter", TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT,
                         debuggable);
    size_t before = 0, fixed = 0;
    for (long i = 0; i < rounds; i++) {
        if (i == rounds / 3) {
            before = resident_bytes();
            fixed = fixed_memory_bytes();
        }
        assert_ok(tci_jit_unlink(linker, l.loaded, NULL));
        l.loaded = link_copy(&l.object, &l.code);
    }
    size_t after = resident_bytes();
    size_t grown = after > before ? after - before : 0;
    print_message("%s, %ld rounds: resident memory grew by %zu KiB in the last two thirds\n",
                  debuggable ? "debuggable" : "plain", rounds, grown / 1024);
    assert_int_equal(fixed_memory_bytes(), fixed);
    if (!TCI_SANITIZED) /* sanitizers keep freed memory aside */
        assert_true(grown < 512u * 1024);
    unlink_all(&l);
}

TEST(linking_and_unlinking_leaves_nothing_behind)
{
    leave_nothing_behind("counter", false, rounds_wanted());
    leave_nothing_behind("counter_debug", true, rounds_wanted());
}

/* Code that may do without a symbol whose name is long, unlike all other code. */
static void link_weak_name(long number)
{
    enum { NAME_BYTES = 200000 };
    static char ir[2 * NAME_BYTES + 1000];
    static char name[NAME_BYTES + 1];
    memset(name, 'x', NAME_BYTES);
    (void)snprintf(name + NAME_BYTES - 16, 17, "%016ld", number);
    (void)snprintf(ir, sizeof ir,
                   "declare extern_weak void @%s()\n"
                   "define void @weak_main(ptr %%p, i64 %%n, ptr %%a) {\n"
                   "  store ptr @%s, ptr %%a\n"
                   "  ret void\n"
                   "}\n",
                   name, name);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message = NULL;
    assert_true(tci_llvm_parse_ir(context, ir, strlen(ir), &module, &message));
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code =
        code_of("weak", LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode), symbols);
    tci_object object = compile(&code);
    tci_loaded *loaded = link_copy(&object, &code);
    assert_ok(tci_jit_unlink(linker, loaded, NULL));
    free(object.bytes);
    tci_symbols_destroy(symbols);
    LLVMDisposeMemoryBuffer(bitcode);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

TEST(names_are_forgotten)
{
    enum { NAMES = TEST_EMULATED ? 60 : 300 };
    size_t before = 0;
    for (long i = 0; i < NAMES; i++) {
        if (i == NAMES / 3)
            before = resident_bytes();
        link_weak_name(i);
    }
    size_t after = resident_bytes();
    print_message("resident memory grew by %zu KiB in the last two thirds\n",
                  after > before ? (after - before) / 1024 : 0);
    if (!TCI_SANITIZED)
        assert_true(after < before + NAMES * 56000u); /* each name takes 200,000 bytes */
}

TEST(what_is_no_object_takes_no_memory)
{
    size_t size;
    void *bytes = read_bitcode("hash_map", &size);
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of("hash_map", bytes, size, symbols);
    tci_object object = compile(&code);
    tci_elf_object shape = tci_elf_object_open(bytes, size);
    assert_int_equal(tci_elf_object_memory(&shape), 0);
    tci_object_view view = view_of(&object);
    for (size_t cut = 0; cut < view.elf_size; cut++) {
        void *part = malloc(cut + 1); /* so that a sanitizer sees reads behind it */
        memcpy(part, view.elf, cut);
        shape = tci_elf_object_open(part, cut);
        (void)tci_elf_object_memory(&shape);
        (void)tci_elf_object_has_debug_info(&shape);
        if (tci_object_bounds_check(&shape, 1u << 20, NULL) == TC_OK)
            assert_true(cut > 0);
        for (size_t at = 0; tci_elf_object_next_undefined(&shape, &at) != NULL;)
            assert_true(at < cut);
        tci_elf_function function;
        for (size_t at = 0; tci_elf_object_next_function(&shape, &at, &function);)
            assert_true(strlen(function.name) < cut);
        free(part);
    }
    free(object.bytes);
    tci_symbols_destroy(symbols);
    free(bytes);
}

static int set_up(void **state)
{
    tc_error err = {0};
    if (tci_host_target_init(&host, &err) == TC_OK &&
        tci_jit_linker_create(&host, &linker, &err) == TC_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return -1;
}

static int tear_down(void **state)
{
    int result = tci_jit_linker_destroy(linker, NULL) != TC_OK;
    tci_host_target_fini(&host);
    return result;
}

int main(void)
{
    return test_run(set_up, tear_down);
}
