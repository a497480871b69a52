#include "travel.h"

#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

/* tests/conformance/test_calls.c and similar tests check the library's results; an unchecked
 * status shows there. */
static void ignore(tc_status status)
{
    (void)status;
}

static void tell_place(void)
{
    const travel_place here = {tc_self_rank(), tc_self_size(), tc_self_origin(),
                               tc_self_hops()};
    ignore(tc_reply(&here, sizeof here));
}

static void go_round(travel_order *order, size_t size)
{
    if (order->count == 0) {
        tell_place();
        return;
    }
    order->count--;
    ignore(tc_forward((tc_self_rank() + 1) % tc_self_size(), order, size));
}

static void go_to(travel_order *order, size_t size)
{
    if (tc_self_rank() == order->rank)
        tell_place();
    else
        ignore(tc_forward(order->rank, order, size));
}

static void answer_much(size_t count)
{
    uint8_t *bytes = malloc(count);
    for (size_t i = 0; bytes != NULL && i < count; i++)
        bytes[i] = TRAVEL_BYTE(i);
    tc_status status = tc_reply(bytes, count);
    if (status != TC_OK && count % 2 == 0) /* else the library reports it */
        ignore(tc_reply_error(status, "that is too much"));
    free(bytes);
}

static void hand_over(void)
{
    travel_order order = {.task = TRAVEL_REDEEM};
    tc_call_ticket ticket;
    if (tc_detach(&ticket) != TC_OK)
        return;
    order.call = ticket.call;
    order.origin = ticket.origin;
    order.hops = ticket.hops;
    ignore(tc_group_send(tc_self_group(), (tc_self_rank() + 1) % tc_self_size(),
                         tc_self_ifunc(), &order, sizeof order));
}

static void redeem(const travel_order *order)
{
    const tc_call_ticket ticket = {order->call, order->origin, order->hops};
    const travel_place here = {tc_self_rank(), tc_self_size(), tc_self_origin(),
                               tc_self_hops()};
    ignore(tc_reply_to(&ticket, &here, sizeof here));
}

static void count(void)
{
    uint64_t *seen = tc_self_state(sizeof *seen);
    ++*seen;
    ignore(tc_reply(seen, sizeof *seen));
}

static void tell_data(void)
{
    size_t size = 0;
    const void *data = tc_self_data("travel", &size);
    if (data == NULL)
        ignore(tc_reply_error(TC_E_NOT_FOUND, "nothing is published here"));
    else
        ignore(tc_reply(data, size));
}

void travel_main(void *payload, size_t payload_size, void *target_args)
{
    travel_order *order = payload;
    tc_call_ticket ticket;
    (void)target_args;
    if (payload_size < sizeof *order)
        return;
    switch ((travel_task)order->task) {
    case TRAVEL_ECHO:
        ignore(tc_reply(order + 1, payload_size - sizeof *order));
        break;
    case TRAVEL_FAIL:
        ignore(tc_reply_error(TC_E_IO, "as it was told"));
        break;
    case TRAVEL_ROUND:
        go_round(order, payload_size);
        break;
    case TRAVEL_TO:
        go_to(order, payload_size);
        break;
    case TRAVEL_BIG:
        answer_much(order->count);
        break;
    case TRAVEL_TICKET:
        hand_over();
        break;
    case TRAVEL_REDEEM:
        redeem(order);
        break;
    case TRAVEL_KEEP:
        ignore(tc_detach(&ticket));
        break;
    case TRAVEL_COUNT:
        count();
        break;
    case TRAVEL_DATA:
        tell_data();
        break;
    case TRAVEL_BOTH:
        tell_place();
        order->task = TRAVEL_COUNT;
        ignore(tc_forward(order->rank, order, payload_size));
        break;
    case TRAVEL_STRANGER:
        ticket = (tc_call_ticket){order->call, order->origin, 0};
        ignore(tc_reply_to(&ticket, "stranger", 8));
        break;
    case TRAVEL_NOTHING:
        break;
    }
}
