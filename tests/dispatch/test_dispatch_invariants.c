/* Broken state of slots, of a payload in fragments and of the running message ends the
 * process. */
#include "../support/broken_invariant.h"
#include "../support/counted_pair.h"
#include "core/current.h"
#include "dispatch/large_receive.h"
#include "dispatch/slots.h"

/* far's endpoint, with a slot for the function. */
static tc_ep *bound(void)
{
    counted_pair_open(FAKE_MAPPED);
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 1);
    return pair.peer;
}

static tc_ifunc *function_of(const tc_ep *ep)
{
    return ep->rx.slots[fn->index].fn;
}

TEST_BROKEN(slot_bound)
{
    tc_ep *ep = bound();
    function_of(ep)->bound = 0;
    tci_slots_free(ep);
}

TEST_BROKEN(slot_callable)
{
    tc_ep *ep = bound();
    tc_error error;
    function_of(ep)->entry.main = NULL;
    ep->rx.slots[fn->index].callable = false;
    assert_ok(tci_slot_ready(ep, fn->index, &error));
}

TEST_BROKEN(slot_evicted)
{
    static tci_code_section section;
    tc_ep *ep = bound();
    tc_error error;
    ep->rx.slots[fn->index].evicted = &section;
    assert_ok(tci_slot_ready(ep, fn->index, &error));
}

static void add_slots(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    pair.peer->rx.slot_count++;
}

TEST_BROKEN(slot_table)
{
    tc_ep *ep = bound();
    ep->rx.slots[fn->index].main = add_slots;
    assert_ok(counted_pair_send(fn));
}

static void leave_another_message(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    tci_current_get()->ep = NULL;
}

TEST_BROKEN(current_message)
{
    tc_ep *ep = bound();
    ep->rx.slots[fn->index].main = leave_another_message;
    assert_ok(counted_pair_send(fn));
}

/* --- a payload in fragments --------------------------------------------------------------- */

static const tci_frame fragment_frame = {.payload_size = TCI_FRAGMENT_HEADER_BYTES + 64,
                                         .kind = TCI_FRAME_FRAGMENT};

static void take_fragment(tc_ep *ep, uint64_t offset, tci_payload *whole)
{
    static uint8_t payload[TCI_FRAGMENT_HEADER_BYTES + 64];
    const tci_fragment fragment = {.total = 192, .offset = offset};
    tc_error error;
    tci_fragment_encode(&fragment, payload);
    assert_ok(tci_large_receive(ep, &fragment_frame, payload, whole, &error));
}

TEST_BROKEN(assembly_fits)
{
    tci_payload whole;
    tc_ep *ep = bound();
    take_fragment(ep, 0, &whole);
    ep->rx.assembly.dropped = false;
    ep->rx.assembly.landing.capacity = 64;
    take_fragment(ep, 64, &whole);
}

TEST_BROKEN(assembly_received)
{
    tci_payload whole;
    tc_ep *ep = bound();
    take_fragment(ep, 0, &whole);
    whole.assembled = true;
    tci_large_done(ep, &whole);
}
