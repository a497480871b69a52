/* The tables of usage at their bounds, and the time that a visit of large ones takes, which it
 * prints. */
#include "modules/usage/usage_table.h"

#include "../../support/fake_node.h"
#include "base/clock.h"
#include "context/context_object.h"

extern const tci_module tci_usage_module;

static tc_context *ctx;
static tc_ifunc *sample; /* its archive has the name of all functions here */

typedef struct seen {
    unsigned entries[TCI_USAGE_KINDS], others[TCI_USAGE_KINDS];
    uint64_t calls[TCI_USAGE_KINDS], timed;
} seen;

static void none(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}

static void look(void *user, const tc_usage_entry *entry)
{
    seen *s = user;
    s->entries[entry->kind]++;
    s->others[entry->kind] += entry->is_other;
    s->calls[entry->kind] += entry->calls;
    s->timed += entry->timed;
    assert_int_equal(entry->is_other, strcmp(entry->name, "other") == 0);
}

static seen look_at_all(void)
{
    seen s = {.timed = 0};
    assert_status(tc_usage_visit(ctx, look, &s), TC_OK);
    return s;
}

static tci_usage *attach(fake_node *node, tci_usage_choice choice)
{
    tc_error error = {0};
    ctx = calloc(1, sizeof *ctx);
    assert_non_null(ctx);
    ctx->core.options.usage = choice;
    assert_status(tci_usage_module.attach(&ctx->core, &error), TC_OK);
    assert_int_equal(ctx->core.batch_watchers, TCI_WATCHED_BY_USAGE);
    sample = fake_node_function(node, "sample", none);
    return tci_usage_table_of(&ctx->core);
}

static void detach(void)
{
    tci_usage_module.detach(&ctx->core);
    assert_null(ctx->core.usage);
    assert_int_equal(ctx->core.batch_watchers, 0);
    free(ctx);
}

/* Counts one call of a function with an id of its own. */
static tci_usage_item *call_function(tci_usage *u, uint32_t number)
{
    static tc_ifunc fn;
    fn = *sample;
    fn.usage = NULL;
    memcpy(fn.id.bytes, &number, sizeof number);
    tci_usage_item *item = tci_usage_table_function(u, &fn);
    assert_ptr_equal(fn.usage, item);
    tci_usage_table_add(&item->counts.calls, 1);
    return item;
}

static tc_ep *make_peer(uint16_t connection, const char *identity)
{
    tc_ep *ep = calloc(1, sizeof *ep);
    assert_non_null(ep);
    ep->core = &ctx->core;
    ep->connection = connection;
    (void)snprintf(ep->peer.identity, sizeof ep->peer.identity, "%s", identity);
    return ep;
}

static void call_by(tci_usage *u, tc_ep *ep)
{
    for (tci_usage_item *item = tci_usage_table_peer(u, ep); item != NULL;
         item = item->identity)
        tci_usage_table_add(&item->counts.calls, 1);
}

static void remove_peer(tc_ep *ep)
{
    if (ep->usage != NULL)
        ctx->core.usage->leave(ep);
    assert_null(ep->usage);
    free(ep);
}

NODE_TEST(functions_have_a_bound)
{
    tci_usage *u = attach(node, TCI_USAGE_COUNTS);
    for (uint32_t i = 0; i < TC_USAGE_FUNCTIONS_MAX + 5; i++)
        assert_int_equal(call_function(u, i)->is_other, i >= TC_USAGE_FUNCTIONS_MAX);
    assert_false(call_function(u, 7)->is_other); /* one that is known */
    const seen s = look_at_all();
    assert_int_equal(s.entries[TC_USAGE_FUNCTION], TC_USAGE_FUNCTIONS_MAX + 1);
    assert_int_equal(s.others[TC_USAGE_FUNCTION], 1);
    assert_int_equal(s.calls[TC_USAGE_FUNCTION], TC_USAGE_FUNCTIONS_MAX + 6);
    detach();
}

NODE_TEST(peers_and_identities_have_bounds)
{
    enum { PEERS = TC_USAGE_PEERS_MAX + 3 };
    static tc_ep *peers[PEERS];
    tci_usage *u = attach(node, TCI_USAGE_COUNTS);
    for (unsigned i = 0; i < PEERS; i++) {
        char identity[32];
        (void)snprintf(identity, sizeof identity, "key:%u", i % (TC_USAGE_IDENTITIES_MAX + 2));
        peers[i] = make_peer((uint16_t)i, identity);
        call_by(u, peers[i]);
    }
    seen s = look_at_all();
    assert_int_equal(s.entries[TC_USAGE_PEER], TC_USAGE_PEERS_MAX + 1);
    assert_int_equal(s.entries[TC_USAGE_IDENTITY], TC_USAGE_IDENTITIES_MAX + 1);
    assert_int_equal(s.calls[TC_USAGE_PEER], PEERS);
    assert_int_equal(s.calls[TC_USAGE_IDENTITY], PEERS);
    for (unsigned i = 0; i < PEERS; i += 2)
        remove_peer(peers[i]);
    s = look_at_all();
    assert_int_equal(s.entries[TC_USAGE_PEER], TC_USAGE_PEERS_MAX / 2 + 1);
    assert_int_equal(s.calls[TC_USAGE_PEER], PEERS);
    for (unsigned i = 1; i < PEERS; i += 2)
        remove_peer(peers[i]);
    s = look_at_all();
    assert_int_equal(s.entries[TC_USAGE_PEER], 1);
    assert_int_equal(s.others[TC_USAGE_PEER], 1);
    assert_int_equal(s.calls[TC_USAGE_PEER], PEERS);
    assert_int_equal(s.calls[TC_USAGE_IDENTITY], PEERS);
    detach();
}

NODE_TEST(a_visit_of_large_tables)
{
    enum { FUNCTIONS = 10000, PEERS = 1000 };
    static tc_ep *peers[PEERS];
    uint64_t best_ns = UINT64_MAX;
    tci_usage *u = attach(node, TCI_USAGE_TIMES);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        tci_usage_times_add(call_function(u, i)->times, 100 + i, 1);
    for (unsigned i = 0; i < PEERS; i++) {
        peers[i] = make_peer((uint16_t)i, "key:all");
        call_by(u, peers[i]);
    }
    for (unsigned i = 0; i < 20; i++) {
        const uint64_t begun_ns = tci_clock_ns();
        const seen s = look_at_all();
        const uint64_t ns = tci_clock_ns() - begun_ns;
        assert_int_equal(s.timed, FUNCTIONS);
        best_ns = ns < best_ns ? ns : best_ns;
    }
    print_message("%d functions with times, %d peers: a visit takes %.2f ms\n", FUNCTIONS,
                  PEERS, (double)best_ns / 1e6);
    for (unsigned i = 0; i < PEERS; i++)
        remove_peer(peers[i]);
    detach();
}
