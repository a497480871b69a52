/* Frames that wait for their code, which comes beside the ring: from several peers at once, and
 * from one that changes the frame meanwhile. far receives. */
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "endpoint/wakeup.h"
#include "transfer/frame_out.h"

#define LARGE 20000u /* more than a frame of these rings takes */

static unsigned runs[4];

#define MAIN(n)                                                                                \
    static void main_##n(void *payload, size_t size, void *target_args)                        \
    {                                                                                          \
        (void)payload, (void)size, (void)target_args;                                          \
        runs[n]++;                                                                             \
    }
MAIN(0)
MAIN(1)
MAIN(2)
MAIN(3)

static void (*const mains[])(void *, size_t, void *) = {main_0, main_1, main_2, main_3};

static fake_pair first, second;

static int open_both(void **state)
{
    memset(runs, 0, sizeof runs);
    fake_pair_open(&first, FAKE_MAPPED);
    fake_pair_add(&second, &first);
    return 0;
}

static int close_both(void **state)
{
    fake_pair_remove(&second);
    fake_pair_close(&first);
    return 0;
}

/* Each has its own size, and the later ones are larger. */
static tc_ifunc *function(const fake_pair *pair, unsigned n)
{
    char name[8];
    (void)snprintf(name, sizeof name, "f%u", n);
    fake_code_of(name)->entries.main = mains[n];
    return fake_function(&pair->near->core.registry, name, TCI_ENTRY_MAIN, LARGE + 500 * n);
}

static void send(fake_pair *pair, tc_ifunc *fn)
{
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
}

/* The target looks at that ring, and nothing of the link arrives. */
static void look(const fake_pair *pair)
{
    (void)tci_dispatch_run(pair->peer);
}

static void expect_runs(unsigned a, unsigned b)
{
    tc_error error = {0};
    assert_int_equal(runs[0], a);
    assert_int_equal(runs[1], b);
    assert_int_equal(tc_ep_refusal(first.ep, &error), 0);
    assert_int_equal(tc_ep_refusal(second.ep, &error), 0);
    assert_true(tci_ep_is_open(first.peer));
    assert_true(tci_ep_is_open(second.peer));
}

/* --- several peers ------------------------------------------------------------------------ */

TEST_WITH(code_that_another_peer_brings_meanwhile_is_not_taken_for_the_next, open_both,
          close_both)
{
    send(&first, function(&first, 0));
    send(&first, function(&first, 1));
    send(&second, function(&second, 0));
    look(&first);              /* asks for f0 */
    fake_pair_settle(&second); /* brings it */
    fake_pair_settle(&first);
    expect_runs(2, 1);
}

TEST_WITH(the_same_with_all_of_the_first_one_here, open_both, close_both)
{
    send(&first, function(&first, 0));
    send(&first, function(&first, 1));
    send(&second, function(&second, 0));
    look(&first);
    look(&second);
    (void)fake_node_turn(first.near); /* answers */
    (void)fake_node_turn(second.near);
    fake_carry(first.ep, first.peer); /* both are whole */
    fake_carry(second.ep, second.peer);
    look(&second);
    look(&first);
    fake_pair_settle(&first);
    fake_pair_settle(&second);
    expect_runs(2, 1);
}

TEST_WITH(functions_that_come_in_another_order_from_each_peer_all_run, open_both, close_both)
{
    for (unsigned n = 0; n < 4; n++) {
        send(&first, function(&first, n));
        send(&second, function(&second, 3 - n));
    }
    for (int i = 0; i < 40; i++) {
        fake_pair_settle(i % 2 == 0 ? &first : &second);
        look(i % 3 == 0 ? &first : &second);
    }
    expect_runs(2, 2);
    assert_int_equal(runs[2], 2);
    assert_int_equal(runs[3], 2);
}

TEST_WITH(code_that_left_and_comes_again_by_another_peer_is_let_go, open_both, close_both)
{
    first.far->core.options.code_memory_max = 4096 + LARGE + 4096;
    tc_ifunc *mine[] = {function(&first, 0), function(&first, 1)};
    tc_ifunc *theirs[] = {function(&second, 0), function(&second, 1)};
    for (int i = 0; i < 12; i++) {
        send(&first, mine[i % 2]);
        send(&first, mine[(i + 1) % 2]);
        send(&second, theirs[(i + 1) % 2]);
        look(&first);
        fake_pair_settle(&second);
        fake_pair_settle(&first);
    }
    expect_runs(18, 18);
    assert_true(first.far->core.counters[TCI_CODE_EVICTED] > 0);
}

/* --- a frame that changes ----------------------------------------------------------------- */

static uint8_t *head_of(const fake_pair *pair)
{
    const tci_consumer *rx = &pair->peer->rx.ring;
    return rx->ring + (rx->head & rx->mask);
}

static void change_section(const fake_pair *pair, const tci_code_section *section)
{
    tci_code_section_encode(section, head_of(pair) + tci_frame_code_offset(0));
}

static tci_code_section section_of(const tc_ifunc *fn)
{
    tci_code_section section;
    tci_code_section_decode(fn->code, &section);
    return section;
}

static void ask_for_f0(void)
{
    send(&first, function(&first, 0));
    look(&first);
    assert_true(first.peer->rx.incoming.wanted);
}

/* The peer's request for code may come between the target's look and its sleep. */
TEST_WITH(a_request_behind_a_frame_that_waits_is_looked_for_before_a_sleep, open_both,
          close_both)
{
    const tci_content_id unknown = {.bytes = {1}};
    ask_for_f0();
    assert_false(tci_ep_has_unseen(first.peer));
    tci_frame_out_control(first.ep, TCI_CONTROL_NEED, 0, unknown.bytes, sizeof unknown.bytes);
    tci_frame_out_end_turns(&first.near->core);
    assert_true(tci_ep_has_unseen(first.peer));
    assert_true(tci_wakeup_finds_work(first.peer));
    look(&first);
    assert_false(tci_ep_has_unseen(first.peer));
    assert_true(first.peer->rx.incoming.wanted);
    fake_pair_settle(&first);
    expect_runs(1, 0);
}

static void expect_change_found(void)
{
    look(&first);
    fake_expect_failed(first.peer, TC_E_CORRUPT, "changed while it waited");
    assert_int_equal(runs[0], 0);
}

TEST_WITH(a_frame_that_grows_while_it_waits_ends_its_endpoint, open_both, close_both)
{
    ask_for_f0();
    tci_code_section section = section_of(function(&first, 0));
    fake_pair_carry(&first);
    (void)fake_node_turn(first.near);
    fake_carry(first.ep, first.peer); /* all of the requested code */
    section.archive_size += 4096;
    change_section(&first, &section);
    expect_change_found();
}

TEST_WITH(one_that_moves_the_bound_between_its_parts_does_too, open_both, close_both)
{
    ask_for_f0();
    tci_code_section section = section_of(function(&first, 0));
    section.archive_size -= 8;
    section.deps_size += 8;
    change_section(&first, &section);
    expect_change_found();
}

TEST_WITH(one_that_names_other_code_does_too, open_both, close_both)
{
    ask_for_f0();
    const tci_code_section section = section_of(function(&first, 1));
    change_section(&first, &section);
    expect_change_found();
}

TEST_WITH(one_whose_code_is_suddenly_in_it_does_too, open_both, close_both)
{
    ask_for_f0();
    /* No more than the ring has space for, from any offset. */
    const size_t room = tci_consumer_room(&first.peer->rx.ring) - tci_frame_code_bytes(0, 0);
    const tci_code_section section = {.archive_size = room < 100 ? (uint32_t)room : 100};
    const tci_frame f = {.kind = TCI_FRAME_CODE, .flags = TCI_CODE_ATTACHED};
    change_section(&first, &section);
    tci_ring_store_word(head_of(&first) + 8, tci_frame_word(&f));
    expect_change_found();
}

/* The former code was requested in vain, and the next question is another one. */
TEST_WITH(one_that_becomes_a_frame_of_another_kind_leaves_nothing_behind, open_both, close_both)
{
    ask_for_f0();
    const tci_frame f = {.kind = TCI_FRAME_CONTROL,
                         .flags = TCI_CONTROL_CREDIT,
                         .payload_size = TCI_CODE_SECTION_BYTES};
    tci_ring_store_word(head_of(&first) + 8, tci_frame_word(&f));
    look(&first);
    send(&first, function(&first, 1));
    look(&first);
    fake_expect_failed(first.peer, TC_E_CORRUPT, "changed while it waited");
}
