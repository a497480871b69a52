/* The functions that a context knows: found by content, held, and let go for others. */
#include "../support/fake_node.h"
#include "ifunc/ifunc_load.h"

static fake_node *node;
static tci_registry *registry;

static int make(void **state)
{
    node = fake_node_create();
    registry = &node->core.registry;
    return 0;
}

static int end(void **state)
{
    fake_node_destroy(node);
    fake_engine_reset();
    return 0;
}

static tc_status add(tci_registry *to, const void *archive, size_t archive_size,
                     const void *deps, size_t deps_size, const tci_content_id *expected,
                     tc_ifunc **fn_out, tc_error *err)
{
    const tci_registry_code code = {.archive = archive,
                                    .archive_size = archive_size,
                                    .deps = deps,
                                    .deps_size = deps_size,
                                    .expected = expected};
    return tci_registry_add(to, &code, fn_out, err);
}

/* Adds a function as a peer sends it. */
static tc_status arrive(const char *name, tc_ifunc **fn_out, tc_error *err)
{
    tci_registry_code code = {.arrived = true};
    void *archive = fake_archive(name, TCI_ENTRY_MAIN, 64, &code.archive_size);
    code.archive = archive;
    tc_status status = tci_registry_add(registry, &code, fn_out, err);
    free(archive);
    return status;
}

static tc_ifunc *function(const char *name)
{
    return fake_node_function(node, name, fake_nothing);
}

/* --- holdings ----------------------------------------------------------------------------- */

TEST_WITH(one_content_is_one_function, make, end)
{
    tc_ifunc *first = function("one"), *again = function("one"), *other = function("two");
    assert_ptr_equal(first, again);
    assert_int_equal(first->references, 2);
    assert_ptr_not_equal(first, other);
    assert_int_not_equal(first->index, other->index);
    assert_ptr_equal(tci_registry_find(registry, &first->id), first);
    assert_ptr_equal(tci_registry_find(registry, &other->id), other);
}

TEST_WITH(one_name_with_other_code_or_libraries_is_another_function, make, end)
{
    tc_ifunc *first = function("one"), *with_libraries;
    tc_ifunc *changed = fake_function(registry, "one", TCI_ENTRY_MAIN, 65);
    size_t size;
    void *archive = fake_archive("one", TCI_ENTRY_MAIN, 64, &size);
    assert_ptr_not_equal(first, changed);
    assert_ok(add(registry, archive, size, "m\n", 2, NULL, &with_libraries, NULL));
    assert_ptr_not_equal(first, with_libraries);
    free(archive);
}

TEST_WITH(content_that_is_not_what_was_announced_is_corrupt, make, end)
{
    tci_content_id expected = {{7}};
    tc_error error;
    tc_ifunc *fn = NULL;
    size_t size;
    void *archive = fake_archive("one", TCI_ENTRY_MAIN, 64, &size);
    assert_status(add(registry, archive, size, NULL, 0, &expected, &fn, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "expected 07"));
    tci_content_id_of(archive, size, NULL, 0, &expected);
    assert_ok(add(registry, archive, size, NULL, 0, &expected, &fn, &error));
    free(archive);
}

TEST_WITH(bytes_that_are_no_archive_leave_nothing_behind, make, end)
{
    tc_error error;
    tc_ifunc *fn;
    size_t size;
    uint8_t *archive = fake_archive("one", TCI_ENTRY_MAIN, 64, &size);
    for (size_t cut = 0; cut < size; cut += 5)
        assert_int_not_equal(add(registry, archive, cut, NULL, 0, NULL, &fn, &error), TC_OK);
    for (size_t at = 0; at < size; at += 3) {
        archive[at] ^= 4;
        assert_int_not_equal(add(registry, archive, size, NULL, 0, NULL, &fn, &error), TC_OK);
        archive[at] ^= 4;
    }
    assert_int_equal(registry->count, 0);
    free(archive);
}

TEST_WITH(code_above_the_limit_is_refused_however_it_is_shared_out, make, end)
{
    static const uint8_t bytes[8];
    static const struct {
        size_t archive, deps;
    } sizes[] = {{1001, 0}, {0, 1001}, {500, 501}, {SIZE_MAX, 8}, {8, SIZE_MAX}};
    tc_ifunc *fn;
    tc_error error;
    node->core.options.code_bytes_max = 1000;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_status(
            add(registry, bytes, sizes[i].archive, bytes, sizes[i].deps, NULL, &fn, &error),
            TC_E_TOO_LARGE);
}

/* --- slots -------------------------------------------------------------------------------- */

static void fill(tc_ifunc **fns, size_t n)
{
    char name[16];
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "f%zu", i);
        fns[i] = function(name);
    }
}

TEST_WITH(a_function_that_nobody_holds_stays_until_its_place_is_needed, make, end)
{
    tc_ifunc *fns[16];
    fill(fns, 16); /* functions_max of the test's nodes */
    const tci_content_id oldest = fns[3]->id, newer = fns[5]->id;
    const uint16_t index = fns[3]->index;
    tci_registry_release(fns[3]);
    tci_registry_release(fns[5]);
    assert_ptr_equal(tci_registry_find(registry, &oldest), fns[3]);
    tc_ep *ep = fake_node_ep(node);
    ep->tx.bindings[index] = TCI_TX_PLAIN;
    tc_ifunc *another = function("another");
    assert_int_equal(another->index, index);
    assert_null(tci_registry_find(registry, &oldest));
    assert_ptr_equal(tci_registry_find(registry, &newer), fns[5]);
    assert_int_equal(ep->tx.bindings[index], TCI_TX_UNKNOWN); /* peers know another by it */
}

TEST_WITH(without_a_place_there_is_no_function_more, make, end)
{
    tc_ifunc *fns[16], *fn;
    tc_error error;
    size_t size;
    fill(fns, 16);
    void *archive = fake_archive("another", TCI_ENTRY_MAIN, 64, &size);
    assert_status(add(registry, archive, size, NULL, 0, NULL, &fn, &error), TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "all 16 functions"));
    tci_registry_release(fns[7]);
    node->code_is_wanted = true; /* a peer may ask for it still */
    assert_status(add(registry, archive, size, NULL, 0, NULL, &fn, &error), TC_E_TOO_LARGE);
    node->code_is_wanted = false;
    assert_ok(add(registry, archive, size, NULL, 0, NULL, &fn, &error));
    free(archive);
}

/* Released in another order than that of their indices, and one is held again. */
TEST_WITH(those_that_nobody_holds_leave_in_the_order_of_their_release, make, end)
{
    static const size_t released[] = {9, 2, 14, 5};
    tc_ifunc *fns[16];
    tci_content_id ids[4];
    fill(fns, 16);
    for (size_t i = 0; i < 4; i++) {
        ids[i] = fns[released[i]]->id;
        tci_registry_release(fns[released[i]]);
    }
    tci_registry_retain(fns[2]);
    assert_int_equal(function("a")->index, 9);
    assert_int_equal(function("b")->index, 14);
    tci_registry_release(fns[2]);
    assert_int_equal(function("c")->index, 5);
    assert_ptr_equal(tci_registry_find(registry, &ids[1]), fns[2]);
    assert_int_equal(function("d")->index, 2);
    assert_null(tci_registry_find(registry, &ids[1]));
}

TEST_WITH(places_are_given_out_from_the_lowest_one, make, end)
{
    tc_ifunc *fns[16];
    fill(fns, 12);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(fns[i]->index, i);
    fns[3]->calls_left--;
    tci_registry_release(fns[3]);
    node->core.options.functions_max = 12;
    assert_int_equal(function("more")->index, 3);
    node->core.options.functions_max = 16;
    assert_int_equal(function("last")->index, 12);
}

/* As if slots held it. */
static tc_ifunc *bound(const char *name)
{
    tc_ifunc *fn = function(name);
    assert_ok(tci_ifunc_load(fn, NULL));
    fn->bound = fn->references;
    return fn;
}

/* The evicted function stays in the table, without code, as no slot lets go of it here. */
static bool arrival_evicts(const char *name, const tc_ifunc *fn)
{
    tc_ifunc *arrived;
    tc_error error;
    assert_true(fn->state == TCI_LOADED);
    assert_status(arrive(name, &arrived, &error), TC_E_TOO_LARGE);
    return fn->state != TCI_LOADED;
}

TEST_WITH(a_full_table_evicts_the_oldest_that_was_not_called_and_no_pinned_one, make, end)
{
    tc_ifunc *fns[16], *arrived;
    tc_error error;
    char name[16];
    for (size_t i = 0; i < 16; i++) {
        (void)snprintf(name, sizeof name, "f%zu", i);
        fns[i] = bound(name);
    }
    tci_registry_retain(fns[0]);                    /* a handle is open */
    fake_code_of("f1")->has_state = true;           /* its variables would be lost */
    fns[2]->held = (struct tci_held_code *)fns[15]; /* messages wait in it */
    fns[3]->calls_left--;                           /* was called */
    assert_true(arrival_evicts("a", fns[4]));
    fns[5]->calls_left--;
    assert_true(arrival_evicts("b", fns[6]));
    for (size_t i = 7; i < 16; i++)
        assert_true(arrival_evicts("c", fns[i]));
    assert_true(arrival_evicts("d", fns[3])); /* its call was before that of f5 */
    assert_true(arrival_evicts("e", fns[5]));
    fns[2]->held = NULL;
    assert_true(arrival_evicts("f", fns[2]));
    assert_status(arrive("g", &arrived, &error), TC_E_TOO_LARGE);
    assert_int_equal(node->evicted, 14);
    assert_true(fns[0]->state == TCI_LOADED && fns[1]->state == TCI_LOADED);
    for (size_t i = 0; i < 16; i++)
        fns[i]->bound = 0;
}

/* --- archives that peers sent ------------------------------------------------------------- */

static uint64_t archive_bytes_max(void)
{
    const struct tc_options *o = &node->core.options;
    return 4 * o->code_memory_max + o->code_bytes_max + TCI_ARCHIVE_CONTENT_MAX;
}

/* As if its archive had so many bytes more. */
static void grow_archive(tc_ifunc *fn, uint64_t bytes)
{
    fn->arrived_bytes += bytes;
    registry->arrived_memory += bytes;
}

TEST_WITH(archives_that_nobody_holds_leave_for_others, make, end)
{
    const uint64_t max = archive_bytes_max();
    tc_ifunc *first, *second, *third;
    tc_error error = {0};
    assert_ok(arrive("first", &first, &error));
    assert_ok(arrive("second", &second, &error));
    assert_in_range(first->arrived_bytes, first->code_bytes + 64, 2 * first->code_bytes + 64);
    assert_int_equal(registry->arrived_memory, first->arrived_bytes + second->arrived_bytes);
    const tci_content_id gone = first->id;
    tci_registry_release(first);
    grow_archive(first, max - registry->arrived_memory); /* just within the bound */
    assert_ok(arrive("third", &third, &error));
    assert_null(tci_registry_find(registry, &gone));
    assert_int_equal(registry->arrived_memory, second->arrived_bytes + third->arrived_bytes);
}

TEST_WITH(archives_that_are_held_refuse_further_ones, make, end)
{
    const uint64_t max = archive_bytes_max();
    tc_ifunc *held, *more;
    tc_error error = {0};
    assert_ok(arrive("held", &held, &error));
    grow_archive(held, max - registry->arrived_memory);
    assert_status(arrive("more", &more, &error), TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "bytes of peers' archives, expected"));
    assert_int_equal(registry->count, 1);
    assert_int_equal(registry->arrived_memory, max);
    assert_ok(arrive("held", &held, &error)); /* it is there */
    (void)function("own");                    /* counts for nothing */
    assert_int_equal(registry->arrived_memory, max);
    tci_registry_release(held);
    tci_registry_release(held);
    assert_ok(arrive("more", &more, &error));
}
