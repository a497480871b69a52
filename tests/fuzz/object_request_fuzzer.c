/* Messages to a rank's objects: requests of other ranks' runtimes, and messages of methods, in
 * any order. Functions of the fuzzer stand in front of the library's, and end as the input
 * decides. After each message the table is whole, every object that runs methods has arrived in
 * full, and nothing is entered. An input is a list of messages: a byte with the sender's rank
 * (low 2 bits) and how calls end (0 bits: well), the number of bytes in two bytes, and
 * these. */
#include "fuzzer.h"
#include "../../objects/object_methods.h"
#include "../../objects/object_moves.h"
#include "../../objects/object_turns.h"

#include <string.h>
#include <tc/task_sync.h>

enum { RANK = 1, RANKS = 4, OBJECTS_MAX = 8, STATE_MAX = 300000 };

static tc_objects objects;
static uint8_t how;
static unsigned probes;
static unsigned answers; /* failures and forwarded messages of the one that runs */

static tc_status outcome(unsigned bit)
{
    return (how >> bit & 1) != 0 ? TC_E_PEER_LOST : TC_OK;
}

void *__wrap_tc_self_data(const char *name, size_t *size_out);
void *__wrap_tc_self_data(const char *name, size_t *size_out)
{
    MUST(strcmp(name, TC_OBJECT_NODE) == 0);
    *size_out = sizeof objects.node;
    return &objects.node;
}

tc_group *__wrap_tc_self_group(void);
tc_group *__wrap_tc_self_group(void)
{
    return (how >> 7 & 1) != 0 ? NULL : objects.group;
}

uint32_t __wrap_tc_self_origin(void);
uint32_t __wrap_tc_self_origin(void)
{
    return how & 3;
}

uint32_t __wrap_tc_self_hops(void);
uint32_t __wrap_tc_self_hops(void)
{
    return (how >> 6 & 1) != 0 ? TC_OBJECT_HOPS_MAX : 0;
}

void __wrap_tc_self_fail(tc_status status, const char *text);
void __wrap_tc_self_fail(tc_status status, const char *text)
{
    MUST(status < 0 && text[0] != '\0');
    answers++;
}

static void check_own(const void *bytes, size_t size)
{
    tco_request request;
    size_t behind;
    MUST(tco_request_check(bytes, size, &objects.limits, &request, &behind, NULL) == TC_OK);
}

tc_status __wrap_tc_group_send(tc_group *group, uint32_t rank, tc_ifunc *fn, const void *bytes,
                               size_t size);
tc_status __wrap_tc_group_send(tc_group *group, uint32_t rank, tc_ifunc *fn, const void *bytes,
                               size_t size)
{
    MUST(group == objects.group && fn == objects.runtime && rank < RANKS && rank != RANK);
    check_own(bytes, size);
    return outcome(2);
}

tc_status __wrap_tc_group_ep(tc_group *group, uint32_t rank, tc_ep **ep_out, tc_error *err);
tc_status __wrap_tc_group_ep(tc_group *group, uint32_t rank, tc_ep **ep_out, tc_error *err)
{
    MUST(group == objects.group && rank < RANKS);
    *ep_out = NULL;
    return outcome(3) == TC_OK ? TC_OK : tci_error_set(err, outcome(3), "lost");
}

tc_status __wrap_tc_send(tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size);
tc_status __wrap_tc_send(tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size)
{
    (void)ep;
    MUST(fn == objects.runtime);
    check_own(bytes, size);
    return outcome(2) == TC_OK ? TC_OK : TC_E_AGAIN;
}

tc_status __wrap_tc_send_wait(tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size,
                              uint64_t timeout_ns, tc_error *err);
tc_status __wrap_tc_send_wait(tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size,
                              uint64_t timeout_ns, tc_error *err)
{
    (void)ep;
    (void)fn;
    (void)timeout_ns;
    check_own(bytes, size);
    return tci_error_set(err, TC_E_TIMEOUT, "no credit");
}

tc_status __wrap_tc_call(tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size, void *result,
                         size_t *result_size, uint64_t timeout_ns, tc_error *err);
tc_status __wrap_tc_call(tc_ep *ep, tc_ifunc *fn, const void *bytes, size_t size, void *result,
                         size_t *result_size, uint64_t timeout_ns, tc_error *err)
{
    (void)ep;
    (void)result;
    (void)result_size;
    (void)timeout_ns;
    MUST(fn == objects.runtime);
    check_own(bytes, size);
    return outcome(4) == TC_OK ? TC_OK : tci_error_set(err, outcome(4), "lost");
}

tc_status __wrap_tc_forward(uint32_t rank, const void *payload, size_t size);
tc_status __wrap_tc_forward(uint32_t rank, const void *payload, size_t size)
{
    (void)payload;
    MUST(rank < RANKS && rank != RANK && size >= sizeof(tc_gptr));
    answers++;
    return outcome(5);
}

void __wrap_tc_task_run(void (*body)(void *, size_t, void *), void *(*exceptions)(void),
                        void *payload, size_t size, void *target_args);
void __wrap_tc_task_run(void (*body)(void *, size_t, void *), void *(*exceptions)(void),
                        void *payload, size_t size, void *target_args)
{
    (void)exceptions;
    body(payload, size, target_args);
}

tc_status __wrap_tc_task_semaphore_acquire(tc_task_semaphore *semaphore, uint64_t timeout_ns);
tc_status __wrap_tc_task_semaphore_acquire(tc_task_semaphore *semaphore, uint64_t timeout_ns)
{
    MUST(timeout_ns > 0);
    if (semaphore->count > 0) {
        semaphore->count--;
        return TC_OK;
    }
    /* An arrival is asked for once; then the endpoint has ended. */
    return timeout_ns == TC_FOREVER || probes++ > 0 ? TC_E_CLOSED : TC_E_TIMEOUT;
}

tc_status __wrap_tc_task_semaphore_release(tc_task_semaphore *semaphore, uint64_t units);
tc_status __wrap_tc_task_semaphore_release(tc_task_semaphore *semaphore, uint64_t units)
{
    semaphore->count += units;
    return TC_OK;
}

tc_status __wrap_tc_task_sleep(uint64_t ns);
tc_status __wrap_tc_task_sleep(uint64_t ns)
{
    MUST(ns == 0);
    return outcome(5);
}

/* --- the table ---------------------------------------------------------------------------- */

static void check_record(const tco_record *record)
{
    MUST(tco_pointer_is_valid(record->object, RANKS));
    MUST(tco_table_find(&objects.table, record->object) == record);
    MUST(record->active == 0 && !record->is_exclusive && record->first == NULL);
    MUST(record->is_arriving ? record->received <= record->bytes
                             : record->moves == 0 || record->received == record->bytes);
    MUST(record->bytes <= STATE_MAX);
}

static void check_table(void)
{
    uint32_t count = 0, arriving = 0;
    for (uint32_t i = 0; i < objects.table.slot_count; i++) {
        if (objects.table.slots[i].record != NULL) {
            check_record(objects.table.slots[i].record);
            arriving += objects.table.slots[i].record->is_arriving;
            count++;
        }
    }
    for (uint32_t i = 0; i < objects.table.bucket_count; i++) {
        for (const tco_record *r = objects.table.buckets[i]; r != NULL; r = r->next) {
            check_record(r);
            MUST(r->object.rank != RANK);
            arriving += r->is_arriving;
            count++;
        }
    }
    MUST(count == objects.table.record_count && count <= OBJECTS_MAX);
    MUST(objects.users == 0 && objects.arriving == arriving);
}

static void add_object(bool is_here)
{
    tco_record *record;
    MUST(tco_record_create(&objects, "thing", 32, &record, NULL) == TC_OK);
    MUST(tco_table_claim(&objects.table, &record->object, NULL) == TC_OK);
    if (is_here) {
        MUST(tco_table_add(&objects.table, record, NULL) == TC_OK);
        return;
    }
    tco_table_learn(&objects.table, record->object, 2, 1);
    tco_record_free(record);
}

static void begin(void)
{
    static char group, runtime;
    memset(&objects, 0, sizeof objects);
    MUST(tco_table_init(&objects.table, RANK, OBJECTS_MAX) == TC_OK);
    objects.group = (tc_group *)&group;
    objects.runtime = (tc_ifunc *)&runtime;
    objects.limits = (tco_request_limits){.ranks = RANKS, .state_max = STATE_MAX};
    objects.node.abi = TC_OBJECT_ABI;
    objects.node.rank = RANK;
    tco_methods_fill(&objects.node);
    add_object(true);
    add_object(false);
    add_object(true);
}

/* --- messages ----------------------------------------------------------------------------- */

static void run_method(const void *payload, size_t size, uint32_t kind)
{
    const tc_object_method method = {
        .class_name = "thing", .state_bytes = 32, .message_bytes = 24, .kind = kind};
    tc_object_self self = {.record = NULL};
    tc_object_entrance entrance =
        tco_methods_begin(&objects.node, &method, payload, size, 1, &self);
    MUST((entrance == TC_OBJECT_ENTERED) == (self.record != NULL));
    if (entrance != TC_OBJECT_ENTERED) {
        MUST(answers > 0);
        return;
    }
    MUST(self.state_bytes >= 32 && self.message_bytes >= 24);
    memset(self.state, 0x5a, (size_t)self.state_bytes);
    objects.node.end(&self);
}

static void run_message(uint8_t first, const uint8_t *bytes, size_t size)
{
    /* in memory of just that size, so that a step outside shows */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    MUST(copy != NULL);
    memcpy(copy, bytes, size);
    how = first;
    answers = probes = 0;
    if (size > 0 && size < sizeof(tco_request))
        run_method(copy, size, size % 2 == 0 ? TC_OBJECT_PLAIN : TC_OBJECT_EXCLUSIVE);
    else
        tco_moves_main(copy, size, NULL);
    free(copy);
    check_table();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    while (size >= 3) {
        const uint8_t first = data[0];
        size_t bytes = (size_t)data[1] | (size_t)data[2] << 8;
        data += 3;
        size -= 3;
        bytes = bytes < size ? bytes : size;
        run_message(first, data, bytes);
        data += bytes;
        size -= bytes;
    }
    tco_table_fini(&objects.table, tco_record_free);
    return 0;
}
