/* The frames of a message: with its code, without, or only with its name. */
#include "../support/fake_node.h"
#include "core/credit.h"
#include "transfer/frame_copy.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

#include <tc/advanced.h>

static fake_pair make_pair(uint64_t delivery, tc_ifunc **fn_out)
{
    fake_pair pair;
    fake_pair_open(&pair, delivery);
    *fn_out = fake_node_function(pair.near, "nothing", fake_nothing);
    return pair;
}

static tci_frame next_frame(fake_pair *pair, const uint8_t **payload_out)
{
    tci_frame frame;
    (void)fake_node_turn(pair->near);
    assert_true(fake_read(pair->peer, &frame, payload_out));
    return frame;
}

static void expect_frame(fake_pair *pair, uint8_t kind, uint8_t flags)
{
    const uint8_t *payload;
    tci_frame frame = next_frame(pair, &payload);
    assert_int_equal(frame.kind, kind);
    assert_int_equal(frame.flags, flags);
}

static void expect_no_frame(fake_pair *pair)
{
    tci_frame frame;
    const uint8_t *payload;
    assert_false(fake_read(pair->peer, &frame, &payload));
}

static void on_mapped_pair(void (*test)(fake_pair *pair, tc_ifunc *fn))
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_MAPPED, &fn);
    test(&pair, fn);
    fake_pair_close(&pair);
}

#define MAPPED_TEST(name) TEST_BY(on_mapped_pair, name, fake_pair *pair, tc_ifunc *fn)

/* The first message of a turn is copied in another order than those behind it. */
MAPPED_TEST(payloads_around_the_bounds_of_copying_arrive)
{
    static const size_t sizes[] = {48, 49, 64, TCI_FRAME_COPY_MAX, TCI_FRAME_COPY_MAX + 1};
    uint8_t sent[TCI_FRAME_COPY_MAX + 1];
    const uint8_t *payload;
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (uint8_t)(i * 7 + 1);
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        for (int i = 0; i < 2; i++)
            assert_ok(tc_send(pair->ep, fn, sent, sizes[n]));
        for (int i = 0; i < 2; i++) {
            assert_int_equal(next_frame(pair, &payload).payload_size, sizes[n]);
            assert_memory_equal(payload, sent, sizes[n]);
        }
    }
}

MAPPED_TEST(code_goes_along_once)
{
    const uint8_t *payload;
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(tc_send(pair->ep, fn, &i, sizeof i));
        tci_frame frame = next_frame(pair, &payload);
        assert_int_equal(frame.kind, i == 0 ? TCI_FRAME_CODE : TCI_FRAME_CALL);
        assert_int_equal(frame.flags, i == 0 ? TCI_CODE_ATTACHED : 0);
        assert_int_equal(frame.slot, fn->index);
        assert_int_equal(frame.payload_size, sizeof i);
        assert_memory_equal(payload, &i, sizeof i);
    }
    assert_int_equal(pair->near->core.counters[TCI_CODE_SENT], 1);
}

MAPPED_TEST(the_code_behind_a_payload_is_the_functions)
{
    tci_code_section section;
    const uint8_t *payload;
    assert_ok(tc_send(pair->ep, fn, "abc", 3));
    tci_frame frame = next_frame(pair, &payload);
    const uint8_t *code =
        payload - TCI_FRAME_HEADER_BYTES + tci_frame_code_offset(frame.payload_size);
    assert_memory_equal(code, fn->code, fn->code_bytes);
    tci_code_section_decode(code, &section);
    assert_true(tci_content_id_equal(&section.id, &fn->id));
}

/* The option code_push, or an archive that does not fit into a frame. */
MAPPED_TEST(code_that_does_not_go_along_is_named)
{
    pair->near->core.options.code_push = 0;
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    expect_frame(pair, TCI_FRAME_CODE, 0);
    pair->near->core.options.code_push = 1;
    fake_code_of("large")->entries.main = fake_nothing;
    tc_ifunc *large = fake_function(&pair->near->core.registry, "large", TCI_ENTRY_MAIN, 4000);
    assert_ok(tc_send(pair->ep, large, NULL, 0));
    expect_frame(pair, TCI_FRAME_CODE, 0);
}

MAPPED_TEST(a_large_payload_leaves_the_code_no_room_and_only_names_it)
{
    uint8_t payload[4096] = {0};
    assert_ok(tc_send(pair->ep, fn, payload, pair->ep->tx.payload_max));
    expect_frame(pair, TCI_FRAME_CODE, 0);
    tci_credit_return(pair->peer);
    assert_ok(tc_send(pair->ep, fn, payload, pair->ep->tx.payload_max));
    expect_frame(pair, TCI_FRAME_CALL, 0);
}

MAPPED_TEST(an_uncached_send_brings_code_that_the_peer_knows)
{
    for (int i = 0; i < 2; i++) {
        assert_ok(tc_send_uncached(pair->ep, fn, NULL, 0));
        expect_frame(pair, TCI_FRAME_CODE, TCI_CODE_ATTACHED);
    }
}

MAPPED_TEST(a_binding_calls_nothing_and_is_made_once)
{
    assert_ok(tci_frame_out_binding(pair->ep, fn));
    expect_frame(pair, TCI_FRAME_CODE, TCI_CODE_ATTACHED | TCI_CODE_BIND_ONLY);
    assert_ok(tci_frame_out_binding(pair->ep, fn));
    expect_no_frame(pair);
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    expect_frame(pair, TCI_FRAME_CALL, 0);
    tc_ep_info info;
    tc_ep_query(pair->ep, &info);
    assert_int_equal(info.sent_messages, 1);
}

MAPPED_TEST(preparing_asks_for_word_also_about_what_is_known)
{
    const uint8_t flags = TCI_CODE_BIND_ONLY | TCI_CODE_NOTIFY;
    assert_ok(tci_frame_out_prepare(pair->ep, fn));
    expect_frame(pair, TCI_FRAME_CODE, flags | TCI_CODE_ATTACHED);
    assert_ok(tci_frame_out_prepare(pair->ep, fn));
    expect_frame(pair, TCI_FRAME_CODE, flags); /* its name alone */
    pair->ep->tx.bindings[fn->index] = TCI_TX_REFUSED;
    assert_status(tci_frame_out_prepare(pair->ep, fn), TC_E_REFUSED);
    expect_no_frame(pair);
}

MAPPED_TEST(without_room_nothing_is_changed)
{
    tc_ifunc *other = fake_node_function(pair->near, "other", fake_nothing);
    (void)fake_fill_ring(pair->ep, fn);
    assert_status(tci_frame_out_binding(pair->ep, other), TC_E_AGAIN);
    assert_status(tci_frame_out_prepare(pair->ep, other), TC_E_AGAIN);
    assert_int_equal(pair->near->core.counters[TCI_CODE_SENT], 1);
    fake_pair_settle(pair);
    assert_ok(tc_send(pair->ep, other, NULL, 0));
    expect_frame(pair, TCI_FRAME_CODE, TCI_CODE_ATTACHED);
}

MAPPED_TEST(control_frames_find_room_where_messages_do_not)
{
    (void)fake_fill_ring(pair->ep, fn);
    tci_frame_out_control(pair->ep, TCI_CONTROL_PREPARED, 3, NULL, 0);
    assert_false(tci_queue_waits(pair->ep));
}

MAPPED_TEST(control_frames_beyond_that_wait_in_front)
{
    uint8_t payload[TCI_CONTROL_PAYLOAD_MAX] = {0};
    (void)fake_fill_ring(pair->ep, fn);
    tci_frame_out_control(pair->ep, TCI_CONTROL_NEED, 3, payload, sizeof payload);
    assert_true(tci_queue_waits(pair->ep));
    assert_true(tci_pending_has(&pair->near->core.pending, TCI_WORK_QUEUE));
    fake_pair_settle(pair);
    assert_false(tci_queue_waits(pair->ep));
}

NODE_TEST(an_endpoint_that_is_not_open_says_nothing)
{
    tc_ep *ep = fake_node_ep(node);
    tci_frame_out_control(ep, TCI_CONTROL_PREPARED, 3, NULL, 0);
    assert_false(tci_queue_waits(ep));
}

static tc_ep *target;
static tc_ifunc *inner;

static size_t four(void *args, size_t args_size)
{
    (void)args, (void)args_size;
    return 4;
}

static int make_nothing(void *payload, size_t size, void *args, size_t args_size)
{
    (void)args, (void)args_size;
    memset(payload, 0, size);
    return 0;
}

/* tc_send to the same endpoint would write where this one's payload is being made. */
static int make_and_send(void *payload, size_t size, void *args, size_t args_size)
{
    (void)args, (void)args_size;
    memset(payload, 5, size);
    assert_status(tc_send(target, inner, NULL, 0), TC_E_BUSY);
    assert_true(tci_core_is_busy(target->core));
    return 0;
}

TEST(nothing_else_is_sent_while_a_payload_is_made_in_the_ring)
{
    const uint8_t *payload;
    fake_pair pair = make_pair(FAKE_MAPPED, &inner);
    target = pair.ep;
    fake_code_of("made")->entries =
        (tci_entries){.main = fake_nothing, .max_size = four, .init = make_and_send};
    tc_ifunc *made = fake_function(&pair.near->core.registry, "made",
                                   TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
    assert_ok(tc_send(pair.ep, made, NULL, 0));
    tci_frame frame = next_frame(&pair, &payload);
    assert_int_equal(frame.payload_size, 4);
    assert_memory_equal(payload, "\5\5\5\5", 4);
    assert_ok(tc_send(pair.ep, inner, NULL, 0));
    fake_pair_close(&pair);
}

static size_t many(void *args, size_t args_size)
{
    (void)args, (void)args_size;
    return 1u << 20;
}

/* A payload that leaves in parts is made in memory of its own. */
TEST(nothing_else_is_sent_while_a_large_payload_is_made)
{
    for (int carried = 0; carried < 2; carried++) {
        fake_pair pair = make_pair(carried ? FAKE_CARRIED : FAKE_MAPPED, &inner);
        target = pair.ep;
        fake_code_of("made")->entries =
            (tci_entries){.main = fake_nothing, .max_size = many, .init = make_and_send};
        tc_ifunc *made =
            fake_function(&pair.near->core.registry, "made",
                          TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
        assert_status(tc_send(pair.ep, made, NULL, 0), carried ? TC_OK : TC_E_AGAIN);
        assert_false(pair.ep->tx.building);
        assert_false(tci_core_is_busy(&pair.near->core));
        fake_pair_close(&pair);
    }
}

static tc_ep *elsewhere;

static int make_and_send_elsewhere(void *payload, size_t size, void *args, size_t args_size)
{
    (void)args, (void)args_size;
    memset(payload, 6, size);
    assert_ok(tc_send(elsewhere, inner, NULL, 0));
    assert_true(tci_core_is_busy(target->core));
    return 0;
}

/* Both functions make their payloads, the one inside the other. */
TEST(a_payload_is_still_being_made_after_one_that_was_made_meanwhile)
{
    tc_ifunc *known;
    fake_pair pair = make_pair(FAKE_MAPPED, &known), other;
    fake_pair_make(&other, FAKE_MAPPED);
    elsewhere = fake_node_ep(pair.near);
    other.ep = elsewhere;
    fake_pair_connect(&other);
    target = pair.ep;
    fake_code_of("inner")->entries =
        (tci_entries){.main = fake_nothing, .max_size = four, .init = make_nothing};
    inner = fake_function(&pair.near->core.registry, "inner",
                          TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
    fake_code_of("made")->entries =
        (tci_entries){.main = fake_nothing, .max_size = four, .init = make_and_send_elsewhere};
    tc_ifunc *made = fake_function(&pair.near->core.registry, "made",
                                   TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
    assert_ok(tc_send(pair.ep, made, NULL, 0));
    assert_false(tci_core_is_busy(&pair.near->core));
    fake_node_destroy(other.near);
    fake_node_destroy(other.far);
    fake_pair_close(&pair);
}

/* As the load of another function may, whose slot the peer wants to hear of. */
static int make_and_report(void *payload, size_t size, void *args, size_t args_size)
{
    (void)args, (void)args_size;
    memset(payload, 7, size);
    tci_frame_out_control(target, TCI_CONTROL_PREPARED, 3, NULL, 0);
    return 0;
}

TEST(a_control_frame_waits_while_a_payload_is_made_in_the_ring)
{
    const uint8_t *payload;
    fake_pair pair = make_pair(FAKE_MAPPED, &inner);
    target = pair.ep;
    fake_code_of("made")->entries =
        (tci_entries){.main = fake_nothing, .max_size = four, .init = make_and_report};
    tc_ifunc *made = fake_function(&pair.near->core.registry, "made",
                                   TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
    assert_ok(tc_send(pair.ep, made, NULL, 0));
    assert_int_equal(next_frame(&pair, &payload).kind, TCI_FRAME_CODE);
    assert_memory_equal(payload, "\7\7\7\7", 4);
    tci_queue_drain(pair.ep);
    expect_frame(&pair, TCI_FRAME_CONTROL, TCI_CONTROL_PREPARED);
    fake_pair_close(&pair);
}

TEST(a_delivery_that_carries_frames_is_told_of_each)
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_CARRIED, &fn);
    fake_delivery *d = (fake_delivery *)(void *)pair.ep->tx.delivery;
    for (int i = 0; i < 3; i++)
        assert_ok(tc_send(pair.ep, fn, NULL, 0));
    assert_int_equal(d->pushes, 3);
    assert_int_equal(d->turns, 0);
    d->keeps = true;
    (void)fake_node_turn(pair.near);
    assert_int_equal(d->turns, 1);
    d->keeps = false;
    (void)fake_node_turn(pair.near);
    (void)fake_node_turn(pair.near); /* nothing is kept any more */
    assert_int_equal(d->turns, 2);
    fake_pair_close(&pair);
}

MAPPED_TEST(a_frame_is_its_parts_in_their_order)
{
    const tci_frame inject = {.slot = 3, .kind = TCI_FRAME_INJECT, .flags = 0x10};
    const tci_frame call = {.slot = 4, .kind = TCI_FRAME_CALL};
    uint8_t code_bytes[TCI_INJECT_SECTION_BYTES + sizeof "codes"] = "        codes";
    const tci_span head = {"head", 4}, body = {"body!", 5}, none = {0};
    const tci_span code = {code_bytes, sizeof code_bytes};
    const uint8_t *payload;
    tci_inject_section_encode(3, 2, code_bytes);
    assert_true(tci_frame_out_put(pair->ep, inject, head, body, code));
    tci_frame frame = next_frame(pair, &payload);
    assert_int_equal(frame.payload_size, 9);
    assert_int_equal(frame.slot, 3);
    assert_int_equal(frame.flags, 0x10);
    assert_memory_equal(payload, "headbody!", 9);
    assert_memory_equal(payload - TCI_FRAME_HEADER_BYTES + tci_frame_code_offset(9), code_bytes,
                        sizeof code_bytes);
    assert_true(tci_frame_out_put(pair->ep, call, none, none, none));
    assert_int_equal(next_frame(pair, &payload).payload_size, 0);
}

/* Space that was asked for and not committed is nothing to the peer. */
MAPPED_TEST(a_frame_that_was_begun_is_given_up_by_doing_nothing)
{
    uint8_t *first = tci_frame_out_begin(pair->ep, TCI_FRAME_CALL, 64);
    assert_non_null(first);
    assert_ptr_equal(tci_frame_out_begin(pair->ep, TCI_FRAME_CALL, 64), first);
    expect_no_frame(pair);
}

MAPPED_TEST(only_the_common_case_is_tried_at_once)
{
    static uint8_t payload[40000];
    tci_outgoing out = {.fn = fn, .args = "abc", .args_size = 3};
    assert_false(tci_frame_out_try(pair->ep, &out)); /* the peer does not know it */
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    expect_frame(pair, TCI_FRAME_CODE, TCI_CODE_ATTACHED);
    assert_true(tci_frame_out_try(pair->ep, &out));
    assert_int_equal(out.payload_size, 3);
    expect_frame(pair, TCI_FRAME_CALL, 0);
    tci_outgoing large = {.fn = fn, .args = payload, .args_size = sizeof payload};
    assert_false(tci_frame_out_try(pair->ep, &large));
    fn->entries |= TCI_ENTRY_INIT;
    assert_false(tci_frame_out_try(pair->ep, &out)); /* its payload is to be made */
    out.built = true;
    assert_true(tci_frame_out_try(pair->ep, &out));
    fn->entries &= ~(unsigned)TCI_ENTRY_INIT;
    pair->ep->tx.bindings[fn->index] = TCI_TX_REFUSED;
    assert_false(tci_frame_out_try(pair->ep, &out));
    out.kind = TCI_OUT_INJECT;
    out.injected = (tci_span){payload, TCI_INJECT_SECTION_BYTES};
    assert_false(tci_frame_out_try(pair->ep, &out));
    pair->ep->tx.bindings[fn->index] = TCI_TX_UNKNOWN; /* which injected code need not be */
    expect_frame(pair, TCI_FRAME_CALL, 0);
    assert_true(tci_frame_out_try(pair->ep, &out));
    expect_frame(pair, TCI_FRAME_INJECT, 0);
    out.injected.size = sizeof payload;
    assert_false(tci_frame_out_try(pair->ep, &out));
}
