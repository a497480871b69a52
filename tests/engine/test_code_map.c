/* Names by address, while others come and go. */

#include "../support/test.h"
#include "engine/code_map.h"

#include <pthread.h>
#include <stdatomic.h>

static const tci_content_id first_id = {{1, 2, 3}};
static const tci_content_id second_id = {{9, 8, 7}};

TEST(an_address_has_its_name)
{
    tci_found_code found;
    const tci_code_symbol symbols[] = {{"one_main", 0x1000, 0x20}, {"one:helper", 0x1020, 1}};
    const tci_code_symbol other = {"two_main", 0x2000, 0x10};
    assert_false(tci_code_map_find(0x1000, &found));
    tci_code_names *one = tci_code_map_add(&first_id, symbols, 2);
    tci_code_names *two = tci_code_map_add(&second_id, &other, 1);
    assert_true(tci_code_map_find(0x101f, &found));
    assert_string_equal(found.name, "one_main");
    assert_int_equal(found.offset, 0x1f);
    assert_memory_equal(&found.id, &first_id, sizeof first_id);
    assert_true(tci_code_map_find(0x1020, &found));
    assert_string_equal(found.name, "one:helper");
    assert_int_equal(found.offset, 0);
    assert_true(tci_code_map_find(0x2000, &found));
    assert_memory_equal(&found.id, &second_id, sizeof second_id);
    assert_false(tci_code_map_find(0xfff, &found));
    assert_false(tci_code_map_find(0x1021, &found));
    tci_code_map_remove(one);
    assert_false(tci_code_map_find(0x1000, &found));
    assert_false(tci_code_map_find(0x1020, &found));
    assert_true(tci_code_map_find(0x200f, &found));
    tci_code_map_remove(two);
    tci_code_map_remove(NULL);
    assert_null(tci_code_map_add(&first_id, NULL, 0));
}

TEST(a_long_name_is_cut_off)
{
    char name[500];
    tci_found_code found;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tci_code_names *names =
        tci_code_map_add(&first_id, &(tci_code_symbol){name, 0x1000, 0x20}, 1);
    assert_true(tci_code_map_find(0x1000, &found));
    assert_int_equal(strlen(found.name), TCI_CODE_MAP_NAME - 1);
    tci_code_map_remove(names);
}

TEST(many_have_their_names)
{
    enum { COUNT = 1000 };
    static tci_code_names *all[COUNT];
    char name[32];
    tci_found_code found;
    for (uintptr_t i = 0; i < COUNT; i++) {
        (void)snprintf(name, sizeof name, "f%zu_main", (size_t)i);
        all[i] = tci_code_map_add(&first_id, &(tci_code_symbol){name, 0x10000 + 16 * i, 16}, 1);
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
        (void)snprintf(name, sizeof name, "f%zu_main", (size_t)i);
        assert_true(tci_code_map_find(0x10000 + 16 * i + 15, &found));
        assert_string_equal(found.name, name);
    }
    for (size_t i = 0; i < COUNT; i++)
        tci_code_map_remove(all[i]);
    for (uintptr_t i = 0; i < COUNT; i++)
        assert_false(tci_code_map_find(0x10000 + 16 * i + 15, &found));
}

/* --- one writes, others read -------------------------------------------------------------- */

static atomic_bool stop;

/* The address, the name and the id found belong together, or nothing is found. */
static void *look_all_the_time(void *user)
{
    uintptr_t mistakes = 0;
    (void)user;
    while (!atomic_load(&stop)) {
        for (uintptr_t i = 0; i < 4; i++) {
            char name[32];
            tci_found_code found;
            (void)snprintf(name, sizeof name, "with_a_name_of_%zu_main", (size_t)i);
            if (tci_code_map_find(0x5000 + 64 * i + 3, &found))
                mistakes += strcmp(found.name, name) != 0 || found.offset != 3 ||
                            found.id.bytes[0] != i || found.id.bytes[15] != i;
        }
    }
    return (void *)mistakes;
}

TEST(a_reader_never_sees_half_a_name)
{
    pthread_t readers[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, look_all_the_time, NULL), 0);
    for (uintptr_t round = 0; round < 20000; round++) {
        char name[32];
        tci_content_id id;
        uintptr_t i = round % 4;
        memset(&id, (int)i, sizeof id);
        (void)snprintf(name, sizeof name, "with_a_name_of_%zu_main", (size_t)i);
        tci_code_map_remove(
            tci_code_map_add(&id, &(tci_code_symbol){name, 0x5000 + 64 * i, 64}, 1));
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        void *mistakes;
        assert_int_equal(pthread_join(readers[i], &mistakes), 0);
        assert_int_equal((uintptr_t)mistakes, 0);
    }
}

TEST(names_have_a_bound_together)
{
    enum { MAX = 1 << 18 };
    tci_found_code found;
    tci_code_symbol *symbols = calloc(MAX + 1, sizeof *symbols);
    assert_non_null(symbols);
    for (uintptr_t i = 0; i <= MAX; i++)
        symbols[i] = (tci_code_symbol){"f_main", 0x100000 + 16 * i, 16};
    tci_code_names *all = tci_code_map_add(&first_id, symbols, MAX);
    tci_code_names *more = tci_code_map_add(&second_id, &symbols[MAX], 1);
    assert_null(more);
    assert_false(tci_code_map_find(symbols[MAX].address, &found));
    assert_true(tci_code_map_find(symbols[MAX - 1].address, &found));
    tci_code_map_remove(all);
    more = tci_code_map_add(&second_id, &symbols[MAX], 1);
    assert_true(tci_code_map_find(symbols[MAX].address, &found));
    tci_code_map_remove(more);
    free(symbols);
}
