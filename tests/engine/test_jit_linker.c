/* The linker alone: objects made once, linked and unlinked many times. */
#include "engine_fixture.h"
#include "memory_map.h"

#include "engine/orc/elf_object.h"
#include "engine/orc/jit_linker.h"
#include "engine/orc/object_emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    assert_int_equal(tci_object_open(object->bytes, object->size, &view, NULL), TC_OK);
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

static void linked_memory_is_what_was_said(void **state)
{
    (void)state;
    size_t size, page = (size_t)sysconf(_SC_PAGESIZE);
    void *bytes = read_bitcode("counter", &size);
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    tci_object object = compile(&code);
    size_t before = fixed_memory_bytes();
    tci_loaded *loaded = link_copy(&object, &code);
    /* And a page for its counter, which may lie beside other memory that can be written. */
    assert_int_equal(tci_jit_memory(loaded), fixed_memory_bytes() - before + page);
    assert_int_equal(tci_jit_unlink(linker, loaded, NULL), TC_OK);
    assert_int_equal(fixed_memory_bytes(), before);
    free(object.bytes);
    tci_symbols_destroy(symbols);
    free(bytes);
}

static void what_is_no_object_takes_no_memory(void **state)
{
    (void)state;
    size_t size;
    void *bytes = read_bitcode("hash_map", &size);
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of("hash_map", bytes, size, symbols);
    tci_object object = compile(&code);
    tci_elf_object shape = tci_elf_object_open(bytes, size);
    assert_int_equal(tci_elf_object_memory(&shape), 0);
    tci_object_view view = view_of(&object);
    for (size_t cut = 0; cut < view.elf_size; cut++) {
        void *part = malloc(cut + 1); /* so that a sanitizer sees what is read behind it */
        memcpy(part, view.elf, cut);
        shape = tci_elf_object_open(part, cut);
        (void)tci_elf_object_memory(&shape);
        free(part);
    }
    free(object.bytes);
    tci_symbols_destroy(symbols);
    free(bytes);
}

static int set_up(void **state)
{
    (void)state;
    tc_error err = {0};
    if (tci_host_target_init(&host, &err) == TC_OK &&
        tci_jit_linker_create(&host, &linker, &err) == TC_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return -1;
}

static int tear_down(void **state)
{
    (void)state;
    int result = tci_jit_linker_destroy(linker, NULL) != TC_OK;
    tci_host_target_fini(&host);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linked_memory_is_what_was_said),
        cmocka_unit_test(what_is_no_object_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
