/* Maps a window of its sender's at the first message. Adds its words up, less the messages that
 * came before, answers with the sum, and adds 1 to the last word. */
#include "peruse_view.h"

#include <tc/call.h>
#include <tc/entry.h>
#include <tc/task.h>
#include <tc/window_view.h>

static const tc_window_view *view;
static uint64_t runs;

static tc_status add_up(const peruse_view_order *order, uint64_t *sum_out)
{
    uint64_t value, sum = 0;
    for (uint64_t i = 0; i < order->words; i++) {
        tc_status status = tc_window_view_get(view, i * sizeof value, &value);
        if (status != TC_OK)
            return status;
        sum += value;
    }
    *sum_out = sum - runs++;
    return tc_window_view_fetch_add(view, (order->words - 1) * sizeof value, 1, &value);
}

TC_THREADED(peruse_view)(void *payload, size_t size, void *target_args)
{
    const peruse_view_order *order = payload;
    tc_error error = {TC_OK, ""};
    uint64_t sum = 0;
    (void)target_args;
    tc_status status = size == sizeof *order ? TC_OK : TC_E_INVALID;
    if (status == TC_OK && view == 0)
        status = tc_window_map(tc_self_endpoint(), order->at, 0, &view, &error);
    if (status == TC_OK)
        status = add_up(order, &sum);
    if (status == TC_OK)
        (void)tc_reply(&sum, sizeof sum);
    else
        tc_self_fail(status, error.text);
}
