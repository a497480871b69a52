/* Type maps, segments, epochs, the info key and descriptions, without MPI. */
#include "../../mpi/mpix_epoch.h"
#include "../../mpi/mpix_info.h"
#include "../../mpi/mpix_wire.h"
#include "../support/test.h"

#include <string.h>

enum { INT = 7, DOUBLE = 14 };

static tcm_runs basic(uint32_t number, uint32_t bytes)
{
    tcm_runs type = {0};
    assert_null(tcm_runs_push(&type, (tcm_run){0, 1, number, bytes}));
    assert_null(tcm_runs_close(&type, bytes));
    return type;
}

/* `count` blocks of `length` elements, `stride` bytes apart. */
static tcm_runs vector(const tcm_runs *of, int64_t count, int64_t length, int64_t stride,
                       int64_t extent)
{
    tcm_runs block = {0}, type = {0};
    assert_null(tcm_runs_append(&block, of, length, of->extent, 0));
    assert_null(tcm_runs_append(&type, &block, count, stride, 0));
    assert_null(tcm_runs_close(&type, extent));
    tcm_runs_fini(&block);
    return type;
}

TEST(runs_of_neighbours_are_one)
{
    tcm_runs number = basic(INT, 4), dense = vector(&number, 1000, 1000, 4000, 4000000);
    assert_int_equal(dense.count, 1);
    assert_int_equal(dense.runs[0].count, 1000000);
    assert_int_equal(dense.size, 4000000);
    tcm_runs spaced = vector(&number, 3, 2, 16, 48);
    assert_int_equal(spaced.count, 3);
    assert_int_equal(spaced.size, 24);
    assert_int_equal(spaced.end, 40);
    tcm_runs_fini(&number);
    tcm_runs_fini(&dense);
    tcm_runs_fini(&spaced);
}

TEST(runs_have_bounds)
{
    tcm_runs number = basic(INT, 4), list = {0};
    assert_non_null(tcm_runs_append(&list, &number, 70000, 8, 0));
    tcm_runs_fini(&list);
    assert_non_null(tcm_runs_append(&list, &number, 1ll << 50, 4, 0));
    assert_non_null(tcm_runs_append(&list, &number, 1, 4, 1ll << 50));
    assert_non_null(tcm_runs_append(&list, &number, 1ll << 40, 1ll << 40, 0));
    assert_null(tcm_runs_append(&list, &number, 1, 4, -4));
    assert_non_null(tcm_runs_close(&list, 4));
    tcm_runs_fini(&list);
    assert_non_null(tcm_runs_close(&list, -4));
    assert_null(tcm_runs_close(&list, 0));
    tcm_runs_fini(&number);
}

TEST(runs_of_an_axis)
{
    tcm_runs number = basic(INT, 4), row = {0}, rows = {0}, list = {0};
    assert_null(tcm_runs_append_axis(&row, &number, &(tcm_axis){9, 2, 2, 6, 9}));
    assert_int_equal(row.extent, 36);
    assert_int_equal(row.count, 2); /* 2 and 3; 8, and the end */
    assert_int_equal(row.runs[0].offset, 8);
    assert_int_equal(row.runs[0].count, 2);
    assert_int_equal(row.runs[1].offset, 32);
    assert_int_equal(row.runs[1].count, 1);
    assert_null(tcm_runs_append_axis(&rows, &row, &(tcm_axis){3, 1, 1, 1, 3}));
    assert_int_equal(rows.extent, 108);
    assert_int_equal(rows.count, 4);
    assert_int_equal(rows.runs[2].offset, 80);
    tcm_runs_fini(&row);
    tcm_runs_fini(&rows);
    assert_null(tcm_runs_append_axis(&list, &number, &(tcm_axis){9, 10, 5, 10, 9}));
    assert_int_equal(list.count, 0);
    assert_int_equal(list.extent, 36);
    const int64_t most = INT32_MAX; /* by turns, of one process: one run, and at once */
    assert_null(tcm_runs_append_axis(&list, &number, &(tcm_axis){most, 0, 1, 1, most}));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.runs[0].count, most);
    tcm_runs_fini(&list);
    tcm_runs_fini(&number);
}

TEST(runs_of_an_axis_have_bounds)
{
    const int64_t most = INT32_MAX, far = most * most;
    tcm_runs number = basic(INT, 4), list = {0}, empty = {0};
    const tcm_axis bad[] = {
        {9, -1, 1, 1, 9}, {9, 0, 0, 1, 9}, {9, 0, 2, 1, 9}, {9, 0, 1, 1, 10}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(tcm_runs_append_axis(&list, &number, &bad[i]));
    assert_non_null(tcm_runs_append_axis(&list, &number, &(tcm_axis){most, 0, 1, 2, most}));
    tcm_runs_fini(&list);
    assert_null(tcm_runs_append_axis(&list, &number, &(tcm_axis){most, 7, most, far, most}));
    assert_int_equal(list.count, 1);
    number.extent = 1 << 20;
    assert_non_null(tcm_runs_append_axis(&list, &number, &(tcm_axis){most, 0, 1, 1, 1}));
    tcm_runs_fini(&list);
    empty.extent = 1;
    assert_null(tcm_runs_append_axis(&list, &empty, &(tcm_axis){most, 0, 1, 2, most}));
    assert_int_equal(list.count, 0);
    tcm_runs_fini(&number);
}

TEST(runs_match_by_signature)
{
    tcm_runs number = basic(INT, 4), real = basic(DOUBLE, 8), both = {0};
    tcm_runs spaced = vector(&number, 3, 2, 16, 48);
    assert_true(tcm_runs_match(&number, 12, &spaced, 2));
    assert_true(tcm_runs_match(&spaced, 2, &number, 12));
    assert_false(tcm_runs_match(&number, 11, &spaced, 2));
    assert_false(tcm_runs_match(&spaced, 2, &number, 13));
    assert_false(tcm_runs_match(&number, 2, &real, 1));
    assert_true(tcm_runs_match(&number, 0, &real, 0));
    assert_true(tcm_runs_match(&both, 5, &real, 0));
    assert_null(tcm_runs_append(&both, &number, 1, 4, 0));
    assert_null(tcm_runs_append(&both, &real, 1, 8, 8));
    assert_null(tcm_runs_close(&both, 16));
    tcm_runs four = vector(&both, 4, 1, 16, 64);
    assert_true(tcm_runs_match(&both, 8, &four, 2));
    assert_false(tcm_runs_match(&both, 7, &four, 2));
    assert_false(tcm_runs_match(&both, 2, &number, 6));
    tcm_runs_fini(&number);
    tcm_runs_fini(&real);
    tcm_runs_fini(&both);
    tcm_runs_fini(&spaced);
    tcm_runs_fini(&four);
}

TEST(segments_have_the_simplest_layout)
{
    tcm_segment segment;
    tcm_runs number = basic(INT, 4), spaced = vector(&number, 3, 2, 16, 48);
    assert_null(tcm_segment_init(&segment, &number, 10));
    assert_int_equal(segment.layout.bytes, 40);
    assert_int_equal(segment.layout.count, 0);
    assert_null(tcm_segment_init(&segment, &number, 0));
    assert_int_equal(segment.span, 0);
    assert_int_equal(segment.layout.bytes, 0);
    assert_null(tcm_segment_init(&segment, &spaced, 2)); /* six blocks, all 16 apart */
    assert_int_equal(segment.layout.count, 6);
    assert_int_equal(segment.layout.block, 8);
    assert_int_equal(segment.layout.stride, 16);
    assert_int_equal(segment.layout.extent, 96);
    assert_int_equal(segment.span, 88);
    assert_null(segment.blocks);
    tcm_segment_fini(&segment);
    tcm_runs_fini(&spaced);
    spaced = vector(&number, 3, 2, 16, 100);
    assert_null(tcm_segment_init(&segment, &spaced, 2));
    assert_int_equal(segment.layout.count, 6);
    assert_non_null(segment.layout.blocks);
    assert_int_equal(segment.layout.blocks[3].offset, 100);
    tcm_segment_fini(&segment);
    assert_non_null(tcm_segment_init(&segment, &spaced, 30000));
    assert_non_null(tcm_segment_init(&segment, &spaced, 1ull << 60));
    tcm_runs_fini(&number);
    tcm_runs_fini(&spaced);
}

TEST(segments_know_their_lowest_byte)
{
    tcm_segment segment;
    tcm_runs number = basic(INT, 4), late = {0};
    assert_null(tcm_runs_append(&late, &number, 2, 4, 8));
    assert_null(tcm_runs_close(&late, 32));
    assert_null(tcm_segment_init(&segment, &late, 3));
    assert_int_equal(segment.shift, 8);
    assert_int_equal(segment.span, 72);
    assert_int_equal(segment.layout.count, 3);
    assert_int_equal(segment.layout.block, 8);
    assert_int_equal(segment.layout.stride, 32);
    tcm_runs_fini(&number);
    tcm_runs_fini(&late);
}

TEST(segments_that_overlap_are_found)
{
    tcm_segment segment;
    tcm_runs number = basic(INT, 4);
    tcm_runs same = vector(&number, 4, 2, 4, 20), column = vector(&number, 8, 1, 24, 4);
    tcm_runs still = vector(&number, 1, 1, 4, 0);
    assert_null(tcm_segment_init(&segment, &same, 1));
    assert_non_null(tcm_segment_check(&segment, 1));
    tcm_segment_fini(&segment);
    assert_null(tcm_segment_init(&segment, &column, 1));
    assert_null(tcm_segment_check(&segment, 1));
    assert_null(tcm_segment_check(&segment, 6)); /* each an int behind the one before */
    assert_non_null(tcm_segment_check(&segment, 7));
    tcm_segment_fini(&segment);
    assert_null(tcm_segment_init(&segment, &still, 1));
    assert_null(tcm_segment_check(&segment, 1));
    assert_non_null(tcm_segment_check(&segment, 2));
    tcm_segment_fini(&segment);
    assert_null(tcm_segment_init(&segment, &still, 2));
    assert_non_null(tcm_segment_check(&segment, 1));
    tcm_segment_fini(&segment);
    tcm_runs_fini(&number);
    tcm_runs_fini(&same);
    tcm_runs_fini(&column);
    tcm_runs_fini(&still);
}

TEST(epochs_have_an_order_of_precedence)
{
    const int targets[2] = {1, 3};
    tcm_epoch epoch;
    assert_true(tcm_epoch_init(&epoch, 4));
    assert_false(tcm_epoch_find(&epoch, 1).open);
    tcm_epoch_fence(&epoch, 1, 1);
    assert_true(tcm_epoch_find(&epoch, 1).concurrent);
    assert_true(tcm_epoch_find(&epoch, 1).granted);
    assert_false(tcm_epoch_is_held(&epoch));
    tcm_epoch_start(&epoch, targets, 2, 0);
    assert_false(tcm_epoch_find(&epoch, 1).concurrent);
    assert_true(tcm_epoch_find(&epoch, 2).concurrent);
    tcm_epoch_fence(&epoch, 0, 0);
    assert_false(tcm_epoch_find(&epoch, 2).open);
    assert_true(tcm_epoch_find(&epoch, 3).open);
    assert_true(tcm_epoch_is_held(&epoch));
    tcm_epoch_complete(&epoch);
    assert_false(tcm_epoch_find(&epoch, 3).open);
    tcm_epoch_fini(&epoch);
}

TEST(epochs_of_locks_are_granted_once)
{
    tcm_epoch epoch;
    assert_true(tcm_epoch_init(&epoch, 4));
    tcm_epoch_lock(&epoch, 2, 0, 0);
    assert_true(tcm_epoch_find(&epoch, 2).open);
    assert_false(tcm_epoch_find(&epoch, 2).granted);
    assert_false(tcm_epoch_find(&epoch, 1).open);
    tcm_epoch_grant(&epoch, 2);
    assert_true(tcm_epoch_find(&epoch, 2).granted);
    tcm_epoch_unlock(&epoch, 2);
    assert_false(tcm_epoch_find(&epoch, 2).open);
    tcm_epoch_lock(&epoch, 2, 1, 1);
    assert_true(tcm_epoch_find(&epoch, 2).granted);
    tcm_epoch_unlock(&epoch, 2);
    tcm_epoch_unlock(&epoch, 2);
    assert_false(tcm_epoch_is_held(&epoch));
    tcm_epoch_lock_all(&epoch, 1, 0);
    assert_false(tcm_epoch_find(&epoch, 0).granted);
    tcm_epoch_grant(&epoch, 0);
    assert_true(tcm_epoch_find(&epoch, 0).granted);
    assert_false(tcm_epoch_find(&epoch, 1).granted);
    tcm_epoch_unlock_all(&epoch);
    tcm_epoch_lock_all(&epoch, 0, 0);
    assert_false(tcm_epoch_find(&epoch, 0).granted);
    tcm_epoch_lock(&epoch, -1, 0, 0); /* MPI_PROC_NULL */
    tcm_epoch_lock(&epoch, 4, 0, 0);
    tcm_epoch_unlock(&epoch, 4);
    assert_false(tcm_epoch_find(&epoch, 4).open);
    tcm_epoch_fini(&epoch);
}

TEST(info_key_lists_orders)
{
    uint32_t given_up = 9;
    assert_true(tcm_info_read("sameop,diffop,sameam", &given_up));
    assert_int_equal(given_up, 0);
    assert_true(tcm_info_read(" none ", &given_up));
    assert_int_equal(given_up, 7);
    assert_true(tcm_info_read("sameam , sameop", &given_up));
    assert_int_equal(given_up, TC_AM_UNORDERED_OTHER_OP);
    assert_true(tcm_info_read("diffop", &given_up));
    assert_int_equal(given_up, TC_AM_UNORDERED_SAME_OP | TC_AM_UNORDERED_SEGMENTS);
    const char *bad[] = {
        "",     " ",       ",",           "sameop,",  ",sameop",    "sameop diffop",
        "same", "sameops", "none,sameop", "nonesuch", "sameop,none"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tcm_info_read(bad[i], &given_up));
}

static size_t make(tcm_wire_message *message)
{
    uint32_t used = 0;
    tcm_runs number = basic(INT, 4), spaced = vector(&number, 3, 2, 16, 48);
    memset(message, 0, sizeof *message);
    message->fixed.op = 5;
    message->fixed.group = 77;
    message->fixed.buffers[TCM_INPUT] = (tcm_wire_buffer){0, 48, 2, TCM_WIRE_DERIVED, 24, 0};
    message->fixed.buffers[TCM_PERSISTENT] = (tcm_wire_buffer){8, 4, 1, INT, 4, 0};
    assert_null(tcm_wire_add(message, &used, TCM_INPUT, &spaced));
    tcm_runs_fini(&number);
    tcm_runs_fini(&spaced);
    return tcm_wire_finish(message, used);
}

TEST(descriptions_are_read_as_written)
{
    tcm_wire_message message, found;
    size_t size = make(&message);
    assert_int_equal(size, sizeof message.fixed + 3 * sizeof(tcm_run));
    assert_null(tcm_wire_decode(&message, size, &found));
    assert_memory_equal(&message, &found, size);
    tcm_runs many = {0};
    uint32_t used = 0;
    tcm_runs number = basic(INT, 4);
    assert_null(tcm_runs_append(&many, &number, 37, 8, 0));
    assert_null(tcm_runs_close(&many, 8 * 37));
    assert_non_null(tcm_wire_add(&message, &used, TCM_OUTPUT, &many));
    tcm_runs_fini(&number);
    tcm_runs_fini(&many);
}

TEST(descriptions_that_are_malformed_have_a_text)
{
    tcm_wire_message message, found, bad;
    size_t size = make(&message);
    assert_non_null(tcm_wire_decode(NULL, 0, &found));
    for (size_t cut = 0; cut < size; cut++)
        assert_non_null(tcm_wire_decode(&message, cut, &found));
    assert_non_null(tcm_wire_decode(&message, size + sizeof(tcm_run), &found));
    assert_non_null(tcm_wire_decode(&message, size + 1, &found));
#define REFUSES(change)                                                                        \
    do {                                                                                       \
        bad = message;                                                                         \
        bad.change;                                                                            \
        assert_non_null(tcm_wire_decode(&bad, size, &found));                                  \
    } while (0)
    REFUSES(fixed.magic ^= 1);
    REFUSES(fixed.buffers[0].count = 0x80000000u);
    REFUSES(fixed.buffers[0].shift = 1ull << 60);
    REFUSES(fixed.buffers[0].extent = -1);
    REFUSES(fixed.buffers[0].runs = 2);
    REFUSES(fixed.buffers[0].runs = 0xffffffffu);
    REFUSES(fixed.buffers[1].runs = 1);
    REFUSES(fixed.buffers[0].number = INT);
    REFUSES(runs[0].offset = -1);
    REFUSES(runs[1].offset = 1ll << 60);
    REFUSES(runs[2].count = 0);
    REFUSES(runs[2].count = 1ull << 40);
    REFUSES(runs[2].bytes = 0);
    REFUSES(runs[2].bytes = 65);
}
