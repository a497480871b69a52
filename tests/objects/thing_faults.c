/* Pointers, messages and functions that fit no object: each ends with a status and a text at
 * the caller. Rank 0 drives; every rank has 100 objects at most. */
#include "thing_job.h"

#include <stddef.h>
#include <string.h>

static void expect(tc_status status, tc_status expected, const tc_error *error,
                   const char *words)
{
    if (status == expected && strstr(error->text, words) != NULL)
        return;
    fprintf(stderr, "%s, '%s': expected %s, '%s'\n", tc_status_name(status),
            status == TC_OK ? "" : error->text, tc_status_name(expected), words);
    exit(3);
}

/* Sends it to a rank whatever it is, as a peer without this library's checks does. */
static tc_status send_to(thing_job *job, uint32_t rank, thing_function function,
                         const void *message, size_t size, tc_error *error)
{
    tc_ep *ep;
    REQUIRE_OK(tc_group_ep(job->group, rank, &ep, error), error);
    return tc_call(ep, job->functions[function], message, size, NULL, NULL, THING_TIMEOUT_NS,
                   error);
}

static void check_pointer(thing_job *job, tc_gptr object, tc_status expected, const char *words)
{
    const thing_amount message = {object, 1};
    tc_error error;
    expect(thing_try(job, THING_ADD, object, 1, &error), expected, &error, words);
    for (uint32_t rank = 0; rank < job->ranks; rank++)
        expect(send_to(job, rank, THING_ADD, &message, sizeof message, &error), expected,
               &error, words);
    expect(tc_object_move(job->objects, object, 0, THING_TIMEOUT_NS, &error), expected, &error,
           words);
    expect(tc_object_destroy(job->objects, object, NULL, THING_TIMEOUT_NS, &error), expected,
           &error, words);
}

static void check_pointers(thing_job *job, tc_gptr good)
{
    tc_gptr bad = good;
    bad.window = 3;
    check_pointer(job, bad, TC_E_INVALID, "no pointer to an object: window 3");
    bad = good;
    bad.generation = 0;
    check_pointer(job, bad, TC_E_INVALID, "generation 0");
    bad = good;
    bad.rank = job->ranks;
    check_pointer(job, bad, TC_E_INVALID, "expected a rank below");
    bad.rank = TC_RANK_NONE;
    check_pointer(job, bad, TC_E_INVALID, "expected a rank below");
    bad = good;
    bad.offset &= UINT32_MAX;
    check_pointer(job, bad, TC_E_INVALID, "use 0");
    bad = good;
    bad.offset += 99; /* an index that was never used */
    check_pointer(job, bad, TC_E_NOT_FOUND, "does not exist, or was destroyed");
    bad.offset |= UINT32_MAX;
    check_pointer(job, bad, TC_E_NOT_FOUND, "object 4294967295");
    bad = good;
    bad.offset += 1ull << 32; /* the next use of the index */
    check_pointer(job, bad, TC_E_NOT_FOUND, "does not exist, or was destroyed");
    if (job->ranks == 1)
        return;
    bad = good;
    bad.rank = (good.rank + 1) % job->ranks;
    check_pointer(job, bad, TC_E_NOT_FOUND, "does not exist, or was destroyed");
}

static void check_messages(thing_job *job, tc_gptr object, uint32_t rank)
{
    const unsigned char bytes[300] = {0};
    tc_error error;
    for (size_t size = 0; size < sizeof(thing_amount); size++)
        expect(send_to(job, rank, THING_ADD, bytes, size, &error), TC_E_INVALID, &error,
               "the method expects 24 at least");
    expect(tc_object_call(job->objects, job->functions[THING_ADD], bytes, 15, NULL, NULL,
                          THING_TIMEOUT_NS, &error),
           TC_E_INVALID, &error, "a message of 15 bytes");
    expect(thing_try(job, OTHER_TOUCH, object, 0, &error), TC_E_INVALID, &error,
           "an object of class 'thing', the method expects 'other'");
    expect(thing_try(job, THING_LARGE, object, 0, &error), TC_E_INVALID, &error,
           "an object of 32 bytes, the method expects 512 at least");
}

static void check_constructors(thing_job *job, uint32_t rank)
{
    tc_gptr object;
    tc_error error;
    tc_ifunc *constructor = job->functions[THING_NEW], *lie = job->functions[THING_LIE];
    expect(tc_object_create(job->objects, rank, constructor, "abc", 3, THING_TIMEOUT_NS,
                            &object, &error),
           TC_E_INVALID, &error, "a thing begins with 16 bytes");
    expect(tc_object_create(job->objects, job->ranks, constructor, "", 0, THING_TIMEOUT_NS,
                            &object, &error),
           TC_E_NOT_FOUND, &error, "rank");
    for (unsigned char size = 0; size < 40; size++)
        expect(tc_object_create(job->objects, rank, lie, &size, 1, THING_TIMEOUT_NS, &object,
                                &error),
               TC_E_CORRUPT, &error, "the constructor answered with");
}

/* The rank is full; nothing of it is lost, and a free index is used again. */
static void check_capacity(thing_job *job, uint32_t rank)
{
    tc_gptr objects[100], more;
    const thing_start start = {0, 0};
    tc_error error;
    const uint32_t other = (rank + 1) % job->ranks;
    for (int i = 0; i < 100; i++)
        objects[i] = thing_create(job, rank, 0, 0);
    expect(tc_object_create(job->objects, rank, job->functions[THING_NEW], &start, sizeof start,
                            THING_TIMEOUT_NS, &more, &error),
           TC_E_TOO_LARGE, &error, "objects_max is 100");
    if (job->ranks > 1) {
        more = thing_create(job, other, 0, 0);
        expect(tc_object_move(job->objects, more, rank, THING_TIMEOUT_NS, &error),
               TC_E_TOO_LARGE, &error, "objects_max is 100");
        REQUIRE(thing_call(job, THING_ADD, more, 3) == 3);
        thing_move(job, objects[50], other);
        /* Its index stays in use; one more object has capacity here. */
        thing_move(job, more, rank);
        REQUIRE(thing_call(job, THING_ADD, more, 3) == 6);
        REQUIRE_OK(tc_object_destroy(job->objects, more, NULL, THING_TIMEOUT_NS, &error),
                   &error);
    }
    for (int i = 0; i < 100; i++)
        REQUIRE_OK(tc_object_destroy(job->objects, objects[i], NULL, THING_TIMEOUT_NS, &error),
                   &error);
    more = thing_create(job, rank, 0, 0);
    check_pointer(job, objects[(uint32_t)more.offset], TC_E_NOT_FOUND, "was destroyed");
    REQUIRE_OK(tc_object_destroy(job->objects, more, NULL, THING_TIMEOUT_NS, &error), &error);
}

void thing_faults(thing_job *job)
{
    for (uint32_t rank = 0; job->rank == 0 && rank < job->ranks; rank++) {
        const tc_gptr object = thing_create(job, rank, 0, 0);
        tc_error error;
        expect(tc_object_move(job->objects, object, job->ranks, THING_TIMEOUT_NS, &error),
               TC_E_NOT_FOUND, &error, "of a group of");
        expect(thing_try(job, THING_LEAVE, object, job->ranks, &error), TC_E_NOT_FOUND, &error,
               "it stays");
        check_pointers(job, object);
        check_messages(job, object, rank);
        thing_move(job, object, (rank + 1) % job->ranks);
        check_pointers(job, object);
        check_messages(job, object, (rank + 1) % job->ranks);
        check_constructors(job, rank);
        REQUIRE(thing_call(job, THING_ADD, object, 1) == 1);
        REQUIRE_OK(tc_object_destroy(job->objects, object, NULL, THING_TIMEOUT_NS, &error),
                   &error);
        check_pointer(job, object, TC_E_NOT_FOUND, "was destroyed");
        check_capacity(job, rank);
    }
    thing_job_meet(job);
    REQUIRE(tc_objects_count(job->objects) == 0);
    thing_job_meet(job);
}
