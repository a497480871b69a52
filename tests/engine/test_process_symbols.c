/* Names of the program and of its libraries are found as dlsym finds them, and without waiting
 * for a thread that loads a library. */
#include "../support/test.h"
#include "engine/process_symbols.h"
#include "engine/symbol_table.h"
#include "engine/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct tally {
    unsigned files, names, found, kept;
    unsigned different;
} tally;

/* The test prints the first few of thousands. */
static void compare(tally *t, const char *name)
{
    void *expected = dlsym(RTLD_DEFAULT, name), *found = tci_process_symbols_find(name);
    t->names++;
    t->found += found != NULL;
    t->kept += found == NULL && expected != NULL;
    if (found == NULL || found == expected)
        return;
    if (t->different++ < 5)
        print_message("%s: %p, dlsym gives %p\n", name, found, expected);
}

static int compare_file(struct dl_phdr_info *info, size_t size, void *user)
{
    tally *t = user;
    (void)size;
    t->files++;
    for (Elf64_Half i = 0; i < info->dlpi_phnum; i++) {
        tci_symbol_table table;
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const void *dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        if (!tci_symbol_table_read(info->dlpi_addr, dynamic, &table))
            continue;
        const uint32_t count = tci_symbol_table_count(&table);
        for (uint32_t k = 1; k < count; k++) {
            const Elf64_Sym *symbol = &table.symbols[k];
            if (tci_symbol_table_is_defined(symbol) &&
                ELF64_ST_TYPE(symbol->st_info) != STT_TLS)
                compare(t, table.names + symbol->st_name);
        }
    }
    return 0;
}

TEST(names_have_the_addresses_that_dlsym_gives)
{
    tally t = {0};
    assert_int_equal(dl_iterate_phdr(compare_file, &t), 0);
    print_message("%u names of %u files, %u found, %u left to dlsym\n", t.names, t.files,
                  t.found, t.kept);
    assert_int_equal(t.different, 0);
    assert_true(t.found > 1000);
}

TEST(functions_of_the_processor_are_those_that_dlsym_gives)
{
    static const char *const names[] = {"memcpy", "memmove", "memset", "strlen", "memcmp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(tci_process_symbols_find(names[i]));
        assert_ptr_equal(tci_process_symbols_find(names[i]), dlsym(RTLD_DEFAULT, names[i]));
    }
}

TEST(what_may_go_is_left_to_dlsym)
{
    void *library = dlopen("libtest_dep_a.so", RTLD_NOW | RTLD_GLOBAL);
    assert_non_null(library);
    assert_non_null(dlsym(RTLD_DEFAULT, "dep_answer"));
    assert_null(tci_process_symbols_find("dep_answer"));
    assert_null(tci_process_symbols_find("no_such_name_anywhere"));
    assert_null(tci_process_symbols_find(""));
    assert_int_equal(dlclose(library), 0);
}

static void *load(void *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The other thread has the dynamic loader's lock until this one has found its symbol. */
TEST(nobody_waits_for_who_loads_a_library)
{
    int begun[2], go_on[2];
    char gate[64], byte = 0;
    pthread_t thread;
    void *library = NULL;
    tc_error error;
    tci_symbols *symbols = NULL;
    const tci_symbol_scope scope = {0};
    assert_int_equal(pipe(begun), 0);
    assert_int_equal(pipe(go_on), 0);
    (void)snprintf(gate, sizeof gate, "%d %d", begun[1], go_on[0]);
    assert_int_equal(setenv("TEST_GATE", gate, 1), 0);
    tci_symbols_prepare();
    assert_int_equal(pthread_create(&thread, NULL, load, (void *)(uintptr_t)TEST_GATE_LIBRARY),
                     0);
    assert_int_equal(read(begun[0], &byte, 1), 1);
    (void)alarm(60);
    assert_ok(tci_symbols_create(NULL, 0, &scope, &symbols, &error));
    assert_non_null(tci_symbols_resolve(symbols, "memcpy"));
    assert_non_null(tci_symbols_resolve(symbols, "snprintf"));
    assert_non_null(tci_symbols_resolve_weak(symbols, "environ"));
    tci_symbols_destroy(symbols);
    (void)alarm(0);
    assert_int_equal(write(go_on[1], &byte, 1), 1);
    assert_int_equal(pthread_join(thread, &library), 0);
    assert_non_null(library);
    assert_int_equal(dlclose(library), 0);
}
