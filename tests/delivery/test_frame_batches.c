/* The batches that leave when the peer takes a share of them. */
#include "../support/test.h"
#include "delivery/frame_batches.h"

#define FRAME_BYTES 64u
#define BATCH_BYTES 8000u

static tci_frame_batches batches;
static unsigned carried, under_way;
static tci_link_op *ops[TCI_BATCH_COUNT];
static uint64_t carried_to;

static void carry(void *user, tci_batch *batch)
{
    (void)user;
    carried++;
    carried_to = batch->end;
}

static void begin(uint64_t share)
{
    carried = under_way = 0;
    tci_frame_batches_fini(&batches); /* of the test before */
    assert_true(tci_frame_batches_init(&batches, 1, 1u << 20, BATCH_BYTES, 0, carry, NULL));
    tci_frame_batches_credit(&batches, 0, share);
}

/* A turn each, so each is a batch if it leaves. */
static void push(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        tci_frame_batches_push(&batches, batches.next, FRAME_BYTES);
        (void)tci_frame_batches_turn(&batches);
    }
}

TEST(without_a_share_all_leave)
{
    begin(0);
    push(1000);
    assert_int_equal(carried, 1000);
}

TEST(what_is_beyond_the_share_waits_for_credit_and_travels_together)
{
    begin(2);
    push(10);
    assert_int_equal(carried, 2);
    assert_false(tci_frame_batches_turn(&batches));
    tci_frame_batches_credit(&batches, FRAME_BYTES - 1, 2); /* not even one was consumed */
    assert_false(tci_frame_batches_turn(&batches));
    assert_int_equal(carried, 2);
    tci_frame_batches_credit(&batches, FRAME_BYTES, 2);
    (void)tci_frame_batches_turn(&batches);
    assert_int_equal(carried, 3);
    assert_int_equal(batches.submitted, batches.made);
    tci_frame_batches_credit(&batches, 10 * FRAME_BYTES, 2);
    push(2);
    assert_int_equal(carried, 5);
}

TEST(a_share_counts_what_left_before_it)
{
    begin(0);
    push(200);
    tci_frame_batches_credit(&batches, 0, 1);
    push(3);
    assert_int_equal(carried, 200);
    tci_frame_batches_credit(&batches, 199 * FRAME_BYTES, 1);
    push(3);
    assert_int_equal(carried, 200);
    tci_frame_batches_credit(&batches, 200 * FRAME_BYTES, 1);
    (void)tci_frame_batches_turn(&batches);
    assert_int_equal(carried, 201);
}

TEST(a_share_that_ends_lets_all_leave)
{
    begin(1);
    push(300); /* more than there are batches: the last one grows */
    assert_int_equal(carried, 1);
    tci_frame_batches_credit(&batches, 0, 0);
    (void)tci_frame_batches_turn(&batches);
    assert_int_equal(batches.submitted, batches.made);
    assert_int_equal(carried_to, 300 * FRAME_BYTES);
}

TEST(a_share_is_lifted_until_the_next_credit)
{
    begin(1);
    push(3);
    assert_int_equal(carried, 1);
    tci_frame_batches_lift_share(&batches);
    assert_int_equal(batches.submitted, batches.made);
    assert_int_equal(carried_to, 3 * FRAME_BYTES);
    const unsigned before = carried;
    tci_frame_batches_credit(&batches, 0, 1);
    push(3);
    assert_int_equal(carried, before);
    tci_frame_batches_credit(&batches, 3 * FRAME_BYTES, 1);
    (void)tci_frame_batches_turn(&batches);
    assert_int_equal(carried, before + 1);
}

/* Many in one turn: the first leaves at once, the rest fills batches and waits for the turn's
 * end. */
TEST(frames_of_a_turn_fill_batches)
{
    begin(0);
    const unsigned per_batch = BATCH_BYTES / FRAME_BYTES;
    for (unsigned i = 0; i < 1 + 2 * per_batch; i++)
        tci_frame_batches_push(&batches, batches.next, FRAME_BYTES);
    assert_int_equal(carried, 2);
    assert_int_equal(carried_to, (1 + per_batch) * FRAME_BYTES);
    assert_false(tci_frame_batches_turn(&batches));
    assert_int_equal(carried, 3);
    assert_int_equal(carried_to, (1 + 2 * per_batch) * FRAME_BYTES);
    assert_true(tci_frame_batches_turn(&batches));
}

/* Joined batches lie side by side at the peer, too. */
TEST(a_batch_ends_with_its_lap)
{
    carried = 0;
    tci_frame_batches_fini(&batches);
    assert_true(tci_frame_batches_init(&batches, 1, 4096, BATCH_BYTES, 4096 - 3 * FRAME_BYTES,
                                       carry, NULL));
    for (unsigned i = 0; i < 4; i++)
        tci_frame_batches_push(&batches, batches.next, FRAME_BYTES);
    assert_int_equal(carried, 2);
    assert_int_equal(carried_to, 4096);
    (void)tci_frame_batches_turn(&batches);
    assert_int_equal(carried, 3);
    assert_int_equal(carried_to, 4096 + FRAME_BYTES);
}

/* --- batches under way -------------------------------------------------------------------- */

static void carry_slowly(void *user, tci_batch *batch)
{
    ops[under_way++] = tci_batch_op(batch, 0);
    carry(user, batch);
}

static void end_all(void)
{
    for (unsigned i = 0; i < under_way; i++)
        tci_batch_op_ended(ops[i]);
    under_way = 0;
}

TEST(an_endpoint_that_sends_little_has_few_batches)
{
    begin(0);
    const unsigned first = batches.count;
    batches.carry = carry_slowly;
    for (unsigned i = 0; i < 200; i++) {
        push(1);
        end_all();
    }
    assert_int_equal(carried, 200);
    assert_int_equal(batches.completed, 200);
    assert_int_equal(batches.count, first);
}

TEST(batches_are_made_until_there_are_enough)
{
    begin(0);
    batches.carry = carry_slowly;
    push(300);
    assert_int_equal(batches.count, TCI_BATCH_COUNT);
    assert_in_range(under_way, TCI_BATCH_COUNT / 2, TCI_BATCH_COUNT - 1);
    assert_int_equal(carried, under_way);
    end_all();
    assert_int_equal(batches.completed, batches.submitted);
    (void)tci_frame_batches_turn(&batches);
    assert_int_equal(carried_to, 300 * FRAME_BYTES);
    end_all();
    assert_int_equal(batches.completed, batches.made);
    push(1);
    assert_int_equal(carried_to, 301 * FRAME_BYTES);
}

/* They may end in another order than they were sent in. */
TEST(batches_complete_in_their_order)
{
    begin(0);
    batches.carry = carry_slowly;
    push(3);
    tci_batch_op_ended(ops[2]);
    tci_batch_op_ended(ops[1]);
    assert_int_equal(batches.completed, 0);
    tci_batch_op_ended(ops[0]);
    assert_int_equal(batches.completed, 3);
}
