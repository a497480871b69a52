/* Answers in the memory of tc_reply_begin. Compiled twice: as a function that may wait, too. */
#include "scribe.h"

#include <stdlib.h>
#include <string.h>
#include <tc/call.h>
#include <tc/entry.h>
#include <tc/task.h>

#define NOTE_BYTES_MAX 4000u

/* The answers that the tests check show the statuses that are not checked. */
static void ignore(tc_status status)
{
    (void)status;
}

static uint8_t *begin(uint64_t size)
{
    void *memory = NULL;
    const tc_status status = tc_reply_begin(size, &memory);
    if (status == TC_OK && (uintptr_t)memory % 16 == 0)
        return memory;
    ignore(tc_reply_error(status != TC_OK ? status : TC_E_CORRUPT, "begin"));
    return NULL;
}

static void fill(const scribe_order *order, uint8_t *memory, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        memory[i] = scribe_byte(order->seed, i);
}

static uint64_t *notes(void)
{
    return tc_self_state(sizeof(uint64_t));
}

static void count(void)
{
    uint64_t *seen = notes(), answer = *seen;
    *seen = 0;
    ignore(tc_reply(&answer, sizeof answer));
}

static tc_status send_notes(const scribe_order *order)
{
    static uint8_t note[NOTE_BYTES_MAX];
    const scribe_order head = {.kind = SCRIBE_NOTE};
    const size_t size = order->bytes < NOTE_BYTES_MAX ? order->bytes : NOTE_BYTES_MAX;
    tc_status status = TC_OK;
    memcpy(note, &head, sizeof head);
    for (uint32_t i = 0; i < order->count && status == TC_OK; i++)
        status = tc_send(tc_self_endpoint(), tc_self_ifunc(), note, size);
    return status;
}

static tc_status start_calls(const scribe_order *order)
{
    const scribe_order note = {.kind = SCRIBE_NOTE};
    const tc_call_params params = {.timeout_ns = 0};
    tc_status status = TC_OK;
    for (uint32_t i = 0; i < order->count && status == TC_OK; i++)
        status = tc_call_start(tc_self_endpoint(), tc_self_ifunc(), &note, sizeof note, &params,
                               NULL, NULL);
    return status;
}

static tc_status meanwhile(const scribe_order *order)
{
    switch ((scribe_kind)order->kind) {
    case SCRIBE_SEND:
        return send_notes(order);
    case SCRIBE_CALL:
        return start_calls(order);
    case SCRIBE_SLEEP:
        return tc_task_sleep(2000000);
    default:
        return TC_OK;
    }
}

static void write_in_place(const scribe_order *order)
{
    uint8_t *memory = begin(order->reserved);
    if (memory == NULL)
        return;
    fill(order, memory, 0, order->reserved / 2);
    const tc_status status = meanwhile(order);
    if (status != TC_OK) {
        ignore(tc_reply_error(status, "meanwhile"));
        return;
    }
    fill(order, memory, order->reserved / 2, order->reserved);
    ignore(tc_reply_commit(order->committed));
}

static uint8_t *late_memory;

/* May wait in scribe_waits alone, where all of the function may. */
static void write_later(void *payload, size_t size, void *target_args)
{
    const scribe_order *order = payload;
    uint8_t *memory = late_memory;
    (void)size, (void)target_args;
    const tc_status status = tc_task_sleep(1000000);
    if (status != TC_OK && status != TC_E_BUSY) {
        ignore(tc_reply_error(status, "a sleep in a late body"));
        return;
    }
    fill(order, memory, 0, order->reserved);
    ignore(tc_reply_commit(order->committed));
}

static void write_late(scribe_order order)
{
    late_memory = begin(order.reserved);
    if (late_memory != NULL)
        tc_task_run(write_later, NULL, &order, sizeof order, NULL);
}

static void fail(void *argument)
{
    (void)argument;
    tc_self_fail(TC_E_IO, "the pen is broken");
    tc_self_abandon();
}

static void answer_ticket(const scribe_order *order, const uint8_t *memory)
{
    tc_call_ticket ticket;
    uint8_t *kept = malloc(order->committed + 1);
    if (kept == NULL)
        return;
    memcpy(kept, memory, order->committed);
    if (tc_detach(&ticket) == TC_OK && tc_reply_commit(1) == TC_E_INVALID)
        ignore(tc_reply_to(&ticket, kept, order->committed));
    free(kept);
}

static void forward(scribe_order order)
{
    const uint32_t rank = order.rank;
    order.kind = SCRIBE_WRITE;
    ignore(tc_forward(rank, &order, sizeof order));
}

/* Begins an answer and does not commit it. */
static void give_up(const scribe_order *order)
{
    uint8_t *memory = begin(order->reserved);
    if (memory == NULL)
        return;
    fill(order, memory, 0, order->reserved);
    if (order->kind == SCRIBE_FAIL)
        (void)tc_self_guard(fail, NULL);
    else if (order->kind == SCRIBE_OTHERWISE)
        ignore(tc_reply(memory, order->committed));
    else if (order->kind == SCRIBE_DETACH)
        answer_ticket(order, memory);
    else if (order->kind == SCRIBE_FORWARD)
        forward(*order);
}

static void write_twice(scribe_order order)
{
    if (begin(order.reserved / 2) != NULL)
        write_in_place(&order);
}

static void be_refused(void)
{
    int32_t statuses[SCRIBE_STATUSES];
    void *memory;
    statuses[0] = tc_reply_commit(0);
    statuses[1] = tc_reply_begin(SIZE_MAX, &memory);
    statuses[2] = tc_reply_begin((size_t)1 << 40, &memory);
    statuses[3] = tc_reply_begin(4096, &memory);
    statuses[4] = tc_reply_commit(4097);
    statuses[5] = tc_reply_commit(SIZE_MAX);
    ignore(tc_reply(statuses, sizeof statuses));
}

static void obey(const scribe_order *order)
{
    switch ((scribe_kind)order->kind) {
    case SCRIBE_NOTE:
        ++*notes();
        break;
    case SCRIBE_COUNT:
        count();
        break;
    case SCRIBE_WRITE:
    case SCRIBE_SEND:
    case SCRIBE_CALL:
    case SCRIBE_SLEEP:
        write_in_place(order);
        break;
    case SCRIBE_LATE:
        write_late(*order);
        break;
    case SCRIBE_TWICE:
        write_twice(*order);
        break;
    case SCRIBE_INVALID:
        be_refused();
        break;
    default:
        give_up(order);
    }
}

#ifdef SCRIBE_WAITS
TC_THREADED(scribe_waits)(void *payload, size_t payload_size, void *target_args)
#else
void scribe_main(void *payload, size_t payload_size, void *target_args)
#endif
{
    scribe_order order;
    (void)target_args;
    if (payload_size < sizeof order)
        return;
    memcpy(&order, payload, sizeof order);
    obey(&order);
}
