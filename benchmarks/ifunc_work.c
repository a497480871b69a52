#include "ifunc_work.h"

#include "ifuncs/integrity_pattern.h"
#include "ifuncs/iput.h"
#include "ifuncs/overhead.h"
#include "ifuncs/ssum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64u

/* ifuncs/NAME.c, which are parts of this program too. */
extern void tsi_main(void *payload, size_t payload_size, void *target_args);
extern void ssum_main(void *payload, size_t payload_size, void *target_args);
extern void overhead_main(void *payload, size_t payload_size, void *target_args);
extern void iput_main(void *payload, size_t payload_size, void *target_args);

void ifunc_work_fill(unsigned char *payload, size_t payload_bytes)
{
    for (size_t i = 0; i < payload_bytes; i++)
        payload[i] = (unsigned char)integrity_mix(i);
}

/* Written throughout: a page fault must not be part of a call. */
static void *create_zeroed(size_t bytes)
{
    size_t whole = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    void *memory = aligned_alloc(LINE_BYTES, whole);
    if (memory != NULL)
        memset(memory, 0, whole);
    return memory;
}

/* --- tsi ----------------------------------------------------------------------------- */

static void *create_tsi(size_t payload_bytes)
{
    (void)payload_bytes;
    return create_zeroed(sizeof(uint64_t));
}

/* --- overhead ------------------------------------------------------------------------- */

static void *create_overhead(size_t payload_bytes)
{
    (void)payload_bytes;
    return create_zeroed(sizeof(overhead_target));
}

/* --- ssum ---------------------------------------------------------------------------- */

static void *create_ssum(size_t payload_bytes)
{
    (void)payload_bytes;
    return create_zeroed(sizeof(ssum_target));
}

/* The first number is the message's own, so that no two sums of a run are alike. */
static void stamp_ssum(unsigned char *payload, size_t payload_bytes, uint64_t number)
{
    uint32_t first = (uint32_t)number;
    (void)payload_bytes;
    memcpy(payload, &first, sizeof first);
}

/* The sum of the numbers that are the same in all messages. */
static uint64_t sum_of_rest(const unsigned char *payload, size_t payload_bytes)
{
    uint64_t sum = 0;
    uint32_t word;
    for (size_t at = sizeof word; at + sizeof word <= payload_bytes; at += sizeof word) {
        memcpy(&word, payload + at, sizeof word);
        sum += word;
    }
    return sum;
}

static bool check_ssum(const void *memory, const unsigned char *payload, size_t payload_bytes,
                       ifunc_work_text *wrong_out)
{
    const ssum_target *target = memory;
    uint64_t rest = sum_of_rest(payload, payload_bytes), calls = target->calls;
    uint64_t total =
        calls * rest + (calls % 2 == 0 ? calls / 2 * (calls - 1) : (calls - 1) / 2 * calls);
    for (uint64_t back = 1; back <= SSUM_SPOTS && back <= calls; back++) {
        uint64_t found = target->sums[(calls - back) % SSUM_SPOTS];
        uint64_t right = rest + (uint32_t)(calls - back);
        if (found == right)
            continue;
        (void)snprintf(wrong_out->text, sizeof wrong_out->text,
                       "the sum of message %" PRIu64 " is %" PRIu64 ", expected %" PRIu64,
                       calls - back, found, right);
        return false;
    }
    if (target->total == total)
        return true;
    (void)snprintf(wrong_out->text, sizeof wrong_out->text,
                   "the sums add up to %" PRIu64 " after %" PRIu64 " calls, expected %" PRIu64,
                   target->total, calls, total);
    return false;
}

/* --- iput ---------------------------------------------------------------------------- */

/* Spots begin on lines of their own. */
static void *create_iput(size_t payload_bytes)
{
    uint64_t spot_bytes = (payload_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    iput_target *target = create_zeroed(sizeof *target + IPUT_SPOTS * spot_bytes);
    if (target != NULL)
        target->spot_bytes = spot_bytes;
    return target;
}

/* Keys take turns. The data begin and end with values made from the message's number, so that a
 * spot shows its message and that all of it came: hardly a byte stays the same. */
static void stamp_iput(unsigned char *payload, size_t payload_bytes, uint64_t number)
{
    uint64_t key = integrity_mix(number % IPUT_SPOTS), mark = integrity_mix(~number);
    memcpy(payload, &key, sizeof key);
    memcpy(payload + sizeof key, &mark, sizeof mark);
    memcpy(payload + payload_bytes - sizeof mark, &mark, sizeof mark);
}

/* Searches all slots, so that it does not depend on the function's search. */
static const unsigned char *spot_of(const iput_target *target, uint64_t key)
{
    const unsigned char *spot = NULL;
    for (unsigned i = 0; i < IPUT_PLACES; i++) {
        const iput_place *place = &target->places[i];
        if (place->offset == 0 || place->key != key)
            continue;
        if (spot != NULL || place->offset > IPUT_SPOTS * target->spot_bytes)
            return NULL; /* there twice, or nowhere */
        spot = target->spots + place->offset - 1;
    }
    return spot;
}

static bool holds(const unsigned char *spot, const unsigned char *message, size_t payload_bytes)
{
    return spot != NULL &&
           memcmp(spot, message + sizeof(uint64_t), payload_bytes - sizeof(uint64_t)) == 0;
}

static bool check_iput(const void *memory, const unsigned char *payload, size_t payload_bytes,
                       ifunc_work_text *wrong_out)
{
    const iput_target *target = memory;
    uint64_t keys = target->calls < IPUT_SPOTS ? target->calls : IPUT_SPOTS;
    uint64_t wrong = 0;
    unsigned char *message = malloc(payload_bytes);
    if (message == NULL) {
        (void)snprintf(wrong_out->text, sizeof wrong_out->text, "out of memory");
        return false;
    }
    memcpy(message, payload, payload_bytes);
    /* The newest message of each key. */
    for (uint64_t number = target->calls - keys; number < target->calls; number++) {
        stamp_iput(message, payload_bytes, number);
        wrong +=
            !holds(spot_of(target, integrity_mix(number % IPUT_SPOTS)), message, payload_bytes);
    }
    free(message);
    if (wrong == 0 && target->refused == 0 && target->spots_taken == keys)
        return true;
    (void)snprintf(wrong_out->text, sizeof wrong_out->text,
                   "of %" PRIu64 " keys %" PRIu64
                   " have other data than were put last, %" PRIu64 " have spots, %" PRIu64
                   " messages were refused",
                   keys, wrong, target->spots_taken, target->refused);
    return false;
}

/* ------------------------------------------------------------------------------------- */

static const ifunc_work works[] = {
    {.name = "tsi", .local = tsi_main, .create = create_tsi},
    {.name = "overhead", .local = overhead_main, .create = create_overhead},
    {.name = "ssum",
     .local = ssum_main,
     .create = create_ssum,
     .stamp = stamp_ssum,
     .check = check_ssum},
    {.name = "iput",
     .local = iput_main,
     .create = create_iput,
     .stamp = stamp_iput,
     .check = check_iput},
};

const ifunc_work *ifunc_work_find(const char *name)
{
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (strcmp(works[i].name, name) == 0)
            return &works[i];
    }
    return NULL;
}
