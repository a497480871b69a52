/* The checks behind ssum and iput: the functions' results are right, and every damage is
 * noticed. */
#include "../../benchmarks/ifunc_work.h"
#include "../../benchmarks/ifuncs/iput.h"
#include "../../benchmarks/ifuncs/ssum.h"
#include "../support/test.h"

#define PAYLOAD_BYTES 100u /* not a multiple of anything */
#define MANY 1000u         /* more than there are spots */

typedef struct bench {
    const ifunc_work *work;
    void *target;
    _Alignas(16) unsigned char payload[PAYLOAD_BYTES];
    uint64_t sent;
} bench;

static void open_bench(bench *made, const char *name)
{
    made->work = ifunc_work_find(name);
    assert_non_null(made->work);
    made->target = made->work->create(PAYLOAD_BYTES);
    assert_non_null(made->target);
    made->sent = 0;
    ifunc_work_fill(made->payload, PAYLOAD_BYTES);
}

static void run(bench *made, unsigned count)
{
    while (count-- > 0) {
        made->work->stamp(made->payload, PAYLOAD_BYTES, made->sent++);
        made->work->local(made->payload, PAYLOAD_BYTES, made->target);
    }
}

static bool is_right(const bench *made)
{
    ifunc_work_text wrong = {""};
    bool right = made->work->check(made->target, made->payload, PAYLOAD_BYTES, &wrong);
    assert_true(right == (wrong.text[0] == '\0'));
    return right;
}

TEST(results_are_right)
{
    static const char *const names[] = {"ssum", "iput"};
    for (size_t i = 0; i < 2; i++) {
        bench made;
        open_bench(&made, names[i]);
        assert_true(is_right(&made));
        run(&made, 1);
        assert_true(is_right(&made));
        run(&made, MANY);
        assert_int_equal(*(uint64_t *)made.target, MANY + 1);
        assert_true(is_right(&made));
        free(made.target);
    }
}

TEST(a_wrong_sum_is_noticed)
{
    bench made;
    open_bench(&made, "ssum");
    ssum_target *target = made.target;
    run(&made, MANY);
    target->sums[7]++;
    assert_false(is_right(&made));
    target->sums[7]--;
    assert_true(is_right(&made));
    target->total--;
    assert_false(is_right(&made));
    free(target);
}

TEST(one_message_twice_is_noticed)
{
    static const char *const names[] = {"ssum", "iput"};
    for (size_t i = 0; i < 2; i++) {
        bench made;
        open_bench(&made, names[i]);
        run(&made, MANY);
        made.sent--;
        run(&made, 1);
        assert_false(is_right(&made));
        free(made.target);
    }
}

TEST(spoilt_data_are_noticed)
{
    bench made;
    open_bench(&made, "iput");
    iput_target *target = made.target;
    run(&made, MANY);
    unsigned char *last = target->spots + target->spot_bytes + PAYLOAD_BYTES - 9;
    *last ^= 1;
    assert_false(is_right(&made));
    *last ^= 1;
    assert_true(is_right(&made));
    for (unsigned i = 0; i < IPUT_PLACES; i++) {
        uint64_t offset = target->places[i].offset;
        if (offset == 0)
            continue;
        target->places[i].offset = 0;
        assert_false(is_right(&made));
        target->places[i].offset = UINT64_MAX;
        assert_false(is_right(&made));
        target->places[i].offset = offset;
    }
    assert_true(is_right(&made));
    free(target);
}

/* The function itself takes nothing that does not fit. */
TEST(what_does_not_fit_is_refused)
{
    bench made;
    _Alignas(16) unsigned char large[2 * PAYLOAD_BYTES] = {0};
    open_bench(&made, "iput");
    iput_target *target = made.target;
    run(&made, MANY);
    made.work->local(large, sizeof large, target); /* longer than a spot */
    made.work->local(large, 7, target);            /* shorter than a key */
    memset(large, 0x5a, sizeof large);
    made.work->local(large, PAYLOAD_BYTES, target); /* a key too many */
    assert_int_equal(target->refused, 3);
    assert_int_equal(target->spots_taken, IPUT_SPOTS);
    assert_false(is_right(&made));
    free(target);
}

TEST(names_are_the_experiments)
{
    assert_non_null(ifunc_work_find("tsi"));
    assert_null(ifunc_work_find("integrity"));
    assert_null(ifunc_work_find(""));
}
