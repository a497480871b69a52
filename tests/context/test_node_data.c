/* Data that functions find at a node: by name, and by function. */
#include "context/node_data.h"

#include "../support/test.h"
#include "context/context_object.h"
#include "core/current.h"

#include <tc/entry.h>

static tc_context *ctx;
static tc_ep ep;
static tc_ifunc fn;

static int setup(void **state)
{
    (void)state;
    ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL)
        return -1;
    ctx->core.context = ctx;
    ep = (tc_ep){.core = &ctx->core};
    fn = (tc_ifunc){.index = 0};
    tci_current_get()->ep = &ep;
    tci_current_get()->fn = &fn;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tci_current_get()->ep = NULL;
    tci_current_get()->fn = NULL;
    tci_node_data_free(ctx);
    free(ctx);
    return 0;
}

TEST_WITH(a_name_is_found_until_it_is_withdrawn, setup, teardown)
{
    int data = 3;
    size_t size = 0;
    (void)state;
    assert_null(tc_self_data("three", NULL));
    assert_ok(tc_context_publish(ctx, "three", &data, sizeof data, NULL));
    assert_ptr_equal(tc_self_data("three", &size), &data);
    assert_int_equal(size, sizeof data);
    assert_ok(tc_context_publish(ctx, "three", NULL, 0, NULL));
    assert_null(tc_self_data("three", NULL));
    assert_int_equal(ctx->published_count, 0);
}

TEST_WITH(names_are_published_up_to_a_number, setup, teardown)
{
    char name[32];
    int data = 0;
    tc_error error = {0};
    (void)state;
    for (unsigned i = 0; i < 4096; i++) {
        (void)snprintf(name, sizeof name, "name%u", i);
        assert_ok(tc_context_publish(ctx, name, &data, sizeof data, NULL));
    }
    assert_status(tc_context_publish(ctx, "one more", &data, 1, &error), TC_E_TOO_LARGE);
    assert_string_equal(error.text, "publish 'one more': name 4097, expected 4096 at most");
    assert_null(tc_self_data("one more", NULL));
    assert_ok(tc_context_publish(ctx, "name7", &data, 2, &error)); /* it is there */
    assert_ok(tc_context_publish(ctx, "name8", NULL, 0, &error));
    assert_ok(tc_context_publish(ctx, "one more", &data, 1, &error));
}

TEST_WITH(a_function_keeps_its_memory, setup, teardown)
{
    (void)state;
    int *kept = tc_self_state(sizeof *kept);
    assert_non_null(kept);
    assert_int_equal(*kept, 0);
    *kept = 5;
    fn.id.bytes[0] = 1;
    assert_ptr_not_equal(tc_self_state(sizeof *kept), kept);
    fn.id.bytes[0] = 0;
    assert_ptr_equal(tc_self_state(sizeof *kept), kept);
    assert_null(tc_self_state(sizeof *kept + 1));
}

/* A peer can send ever other functions; each is found by walking through those before it, so
 * the number is set here. */
TEST_WITH(functions_with_memory_have_a_number, setup, teardown)
{
    (void)state;
    ctx->state_count = 65535;
    assert_non_null(tc_self_state(1));
    fn.id.bytes[0] = 1;
    assert_null(tc_self_state(1));
    fn.id.bytes[0] = 0;
    assert_non_null(tc_self_state(1));
}
