/* Several processes have a stock each; rank 0 takes stock of all.
 *     tc-run -n 4 ./warehouses */
#include "warehouse.h"
#include <stdio.h>
#include <stdlib.h>
#include <tc/group.h>
#include <tc/tc.h>

extern const tc_embedded stock_take_tca, dismiss_tca;

/* Calls a function at every rank. */
static tc_status call_all(tc_group *group, const tc_embedded *function,
                          const tc_group_call_params *params, tc_error *err)
{
    tc_ifunc *fn;
    tc_status status = tc_ifunc_open_embedded(tc_group_context(group), function, &fn, err);
    if (status != TC_OK)
        return status;
    status = tc_group_call_all(group, fn, NULL, 0, params, err);
    tc_ifunc_close(fn);
    return status;
}

/* Takes stock of all members at the same time. */
static tc_status take_stock(tc_group *group, unsigned *stocks, tc_error *err)
{
    tc_group_call_params params = {.results = stocks, .result_capacity = sizeof *stocks};
    tc_status status = call_all(group, &stock_take_tca, &params, err);
    unsigned sum = 0;
    if (status != TC_OK)
        return status;
    for (uint32_t rank = 0; rank < tc_group_size(group); rank++) {
        printf("rank %u has %u\n", rank, stocks[rank]);
        sum += stocks[rank];
    }
    printf("together %u\n", sum);
    return TC_OK;
}

/* The work of rank 0; the others serve. */
static tc_status lead(tc_group *group, tc_error *err)
{
    unsigned *stocks = calloc(tc_group_size(group), sizeof *stocks);
    tc_status status = TC_E_NO_MEMORY;
    if (stocks != NULL)
        status = take_stock(group, stocks, err);
    free(stocks);
    return status == TC_OK ? call_all(group, &dismiss_tca, NULL, err) : status;
}

int main(void)
{
    static warehouse here;
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    tc_status status;
    if ((status = tc_context_create(NULL, &ctx, &err)) == TC_OK &&
        (status = tc_group_join(ctx, TC_SECONDS(30), &group, &err)) == TC_OK) {
        here.stock = 100 + 10 * tc_group_rank(group);
        tc_context_set_target_args(ctx, &here);
        /* No member asks before all have a stock. */
        status = tc_group_barrier(group, TC_SECONDS(30), &err);
        if (status == TC_OK && tc_group_rank(group) == 0)
            status = lead(group, &err);
        if (status == TC_OK)
            status = tc_serve(ctx, &here.dismissed);
    }
    if (status != TC_OK)
        fprintf(stderr, "warehouses: %s: %s\n", tc_status_text(status), err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
