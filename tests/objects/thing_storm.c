/* Every rank makes, calls, moves and destroys objects of its own at random, and calls and moves
 * those that all share. Serial reckoning beside it has the expected values. */
#include "thing_job.h"

#include <string.h>

enum { OWN = 48, SHARED = 12, UNDER_WAY_MAX = 24 };

typedef struct own_thing {
    tc_gptr object;
    uint64_t value, seed, bytes;
    bool exists;
} own_thing;

typedef struct storm {
    thing_job *job;
    uint64_t random;
    own_thing own[OWN];
    tc_gptr shared[SHARED];
    uint32_t under_way;
    uint64_t failed;
} storm;

static uint64_t draw(storm *s, uint64_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (s->random >> 33) % below;
}

/* --- objects of this rank's --------------------------------------------------------------- */

static void check_gone(storm *s, tc_gptr object)
{
    tc_error error;
    REQUIRE(thing_try(s->job, THING_ADD, object, 1, &error) == TC_E_NOT_FOUND);
    REQUIRE(strstr(error.text, "destroyed") != NULL);
}

static void destroy(storm *s, own_thing *own)
{
    tc_error error;
    tc_ifunc *destructor = draw(s, 2) == 0 ? s->job->functions[THING_DROP] : NULL;
    /* Those of 13 are not destroyed by it: tests/objects/thing_faults.c. */
    if (own->value == 13)
        destructor = NULL;
    REQUIRE_OK(
        tc_object_destroy(s->job->objects, own->object, destructor, THING_TIMEOUT_NS, &error),
        &error);
    own->exists = false;
    check_gone(s, own->object);
}

static void make(storm *s, own_thing *own)
{
    memset(own, 0, sizeof *own);
    own->seed = draw(s, 200);
    own->bytes = draw(s, 16) == 0 ? 300000 : sizeof(thing) + draw(s, 5000);
    own->object = thing_create(s->job, (uint32_t)draw(s, s->job->ranks), own->bytes, own->seed);
    own->exists = true;
}

static void look(storm *s, const own_thing *own)
{
    const thing_answer answer = thing_look(s->job, own->object);
    REQUIRE(answer.value == own->value);
    REQUIRE(answer.bytes == own->bytes);
    REQUIRE(answer.is_whole == 1);
}

static void use_own(storm *s)
{
    own_thing *own = &s->own[draw(s, OWN)];
    const uint64_t amount = draw(s, 100);
    const thing_function function = draw(s, 4) == 0 ? THING_BUMP : THING_ADD;
    if (!own->exists) {
        make(s, own);
        return;
    }
    switch (draw(s, 8)) {
    case 0:
        destroy(s, own);
        break;
    case 1:
    case 2:
        thing_move(s->job, own->object, (uint32_t)draw(s, s->job->ranks));
        break;
    case 3:
        look(s, own);
        break;
    default:
        own->value += amount;
        REQUIRE(thing_call(s->job, function, own->object, amount) == own->value);
    }
}

/* --- objects that all use ----------------------------------------------------------------- */

static void done(void *user, const tc_call_outcome *outcome)
{
    storm *s = user;
    s->under_way--;
    if (outcome->status != TC_OK) {
        fprintf(stderr, "a started call: %s\n", outcome->text);
        s->failed++;
    }
}

static void use_shared(storm *s)
{
    const thing_amount message = {s->shared[draw(s, SHARED)], 1};
    const thing_function function = draw(s, 3) == 0 ? THING_BUMP : THING_ADD;
    static uint64_t value; /* of any of them; nothing reads it */
    const tc_call_params params = {.result = &value,
                                   .result_capacity = sizeof value,
                                   .timeout_ns = THING_TIMEOUT_NS,
                                   .done = done,
                                   .user = s};
    tc_status status;
    tc_error error;
    while (s->under_way == UNDER_WAY_MAX)
        (void)tc_wait(s->job->ctx, TC_SECONDS(1));
    if (draw(s, 10) == 0)
        thing_move(s->job, message.object, (uint32_t)draw(s, s->job->ranks));
    while ((status = tc_object_call_start(s->job->objects, s->job->functions[function],
                                          &message, sizeof message, &params, NULL, &error)) ==
           TC_E_AGAIN)
        (void)tc_progress(s->job->ctx);
    REQUIRE_OK(status, &error);
    s->under_way++;
}

/* Pointers are the same at every rank when each home makes its objects in the same order. */
static void open_shared(storm *s)
{
    if (s->job->rank == 0) {
        for (uint32_t i = 0; i < SHARED; i++)
            s->shared[i] = thing_create(s->job, i % s->job->ranks, sizeof(thing) + i, i);
    }
    thing_job_meet(s->job);
    /* The first objects of their homes have the first indices, and these their first use. */
    for (uint32_t i = 0; i < SHARED; i++) {
        const tc_gptr expected = {UINT16_MAX, 1, i % s->job->ranks,
                                  1ull << 32 | i / s->job->ranks};
        REQUIRE(s->job->rank > 0 || memcmp(&s->shared[i], &expected, sizeof expected) == 0);
        s->shared[i] = expected;
    }
}

static uint64_t sum_shared(storm *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SHARED; i++) {
        const thing_answer answer = thing_look(s->job, s->shared[i]);
        REQUIRE(answer.inside_max <= 1);
        sum += answer.value;
    }
    return sum;
}

void thing_storm(thing_job *job, uint32_t rounds)
{
    static storm s;
    tc_error error = {TC_OK, "calls that do not end"};
    s.job = job;
    s.random = job->rank + 1;
    open_shared(&s);
    for (uint32_t i = 0; i < rounds; i++) {
        use_own(&s);
        use_shared(&s);
    }
    REQUIRE_OK(tc_calls_wait(job->ctx, THING_TIMEOUT_NS), &error);
    REQUIRE(s.failed == 0);
    thing_job_meet(job);
    for (uint32_t i = 0; i < OWN; i++) {
        if (s.own[i].exists) {
            look(&s, &s.own[i]);
            destroy(&s, &s.own[i]);
        }
    }
    if (job->rank == 0)
        REQUIRE(sum_shared(&s) == (uint64_t)rounds * job->ranks);
    thing_job_meet(job);
    /* Those that are left are shared. */
    REQUIRE(tc_objects_count(job->objects) <= SHARED);
    thing_job_meet(job);
}
