/* Three processes: rank 0 sends a function to rank 1, which reads and writes the memory of rank
 * 2 from there.
 *     tc-run -n 3 ./remote_memory */
#include "board.h"
#include <stdio.h>
#include <string.h>
#include <tc/group.h>
#include <tc/tc.h>
#include <tc/ucx.h>

#define VISITS 3

extern const tc_embedded board_place_tca, read_board_tca;

typedef struct application {
    ucp_context_h ucx;
    ucp_worker_h worker;
    ucp_mem_h memory;
    board *board;
    tc_context *ctx;
    tc_group *group;
} application;

static tc_status ucx_failed(tc_error *err, const char *what, ucs_status_t status)
{
    snprintf(err->text, sizeof err->text, "%s: %s", what, ucs_status_string(status));
    return TC_E_UCX;
}

/* The function uses RMA and AMO64; the library needs the other two. */
static tc_status create_worker(application *app, tc_error *err)
{
    const uint64_t features =
        UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = features};
    const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucs_status_t status = ucp_init(&params, NULL, &app->ucx);
    if (status != UCS_OK)
        return ucx_failed(err, "ucp_init", status);
    status = ucp_worker_create(app->ucx, &worker, &app->worker);
    if (status != UCS_OK)
        return ucx_failed(err, "ucp_worker_create", status);
    tc_ucx_objects objects = {app->ucx, app->worker, features};
    tc_status created = tc_context_create_on_ucx(NULL, &objects, &app->ctx, err);
    if (created == TC_OK)
        tc_context_set_target_args(app->ctx, app->worker); /* for functions that use UCX */
    return created;
}

/* Memory that UCX allocates can be reached by loads and stores of its peers. */
static tc_status create_board(application *app, tc_error *err)
{
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                       UCP_MEM_MAP_PARAM_FIELD_FLAGS,
                                         .length = sizeof *app->board,
                                         .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucs_status_t status = ucp_mem_map(app->ucx, &params, &app->memory);
    if (status == UCS_OK)
        status = ucp_mem_query(app->memory, &attributes);
    if (status != UCS_OK)
        return ucx_failed(err, "ucp_mem_map", status);
    app->board = attributes.address;
    *app->board = (board){0, "written by rank 2"};
    return TC_OK;
}

static tc_status copy_out(char *to, size_t capacity, uint32_t *size_out, const void *from,
                          size_t size, tc_error *err)
{
    if (size > capacity)
        return ucx_failed(err, "an address or a key", UCS_ERR_BUFFER_TOO_SMALL);
    memcpy(to, from, size);
    *size_out = (uint32_t)size;
    return TC_OK;
}

static tc_status publish_board(application *app, tc_error *err)
{
    static board_place place;
    ucp_address_t *address;
    void *key;
    size_t size;
    ucs_status_t ucx = ucp_worker_get_address(app->worker, &address, &size);
    if (ucx != UCS_OK)
        return ucx_failed(err, "ucp_worker_get_address", ucx);
    tc_status status =
        copy_out(place.worker, sizeof place.worker, &place.worker_size, address, size, err);
    ucp_worker_release_address(app->worker, address);
    if (status != TC_OK)
        return status;
    ucx = ucp_rkey_pack(app->ucx, app->memory, &key, &size);
    if (ucx != UCS_OK)
        return ucx_failed(err, "ucp_rkey_pack", ucx);
    status = copy_out(place.key, sizeof place.key, &place.key_size, key, size, err);
    ucp_rkey_buffer_release(key);
    place.board = (uint64_t)(uintptr_t)app->board;
    return status == TC_OK ? tc_context_publish(app->ctx, "board", &place, sizeof place, err)
                           : status;
}

/* Calls a function at a rank. */
static tc_status call(application *app, uint32_t rank, const tc_embedded *function,
                      const void *args, size_t size, void *result, size_t result_size,
                      tc_error *err)
{
    tc_ifunc *fn;
    tc_ep *ep;
    tc_status status = tc_ifunc_open_embedded(app->ctx, function, &fn, err);
    if (status != TC_OK)
        return status;
    status = tc_group_ep(app->group, rank, &ep, err);
    if (status == TC_OK)
        status = tc_call(ep, fn, args, size, result, &result_size, TC_SECONDS(30), err);
    tc_ifunc_close(fn);
    return status;
}

/* Asks rank 2 where its board is, and sends rank 1 there. */
static tc_status send_visitors(application *app, tc_error *err)
{
    _Alignas(16) static board_place place;
    _Alignas(16) board_visit seen;
    tc_status status = call(app, 2, &board_place_tca, NULL, 0, &place, sizeof place, err);
    for (int i = 0; i < VISITS && status == TC_OK; i++) {
        status = call(app, 1, &read_board_tca, &place, sizeof place, &seen, sizeof seen, err);
        if (status == TC_OK)
            printf("rank 1 has read \"%s\"; %llu came before\n", seen.text,
                   (unsigned long long)seen.visits);
    }
    return status;
}

static tc_status run(application *app, tc_error *err)
{
    tc_status status = create_worker(app, err);
    if (status == TC_OK)
        status = create_board(app, err);
    if (status == TC_OK)
        status = publish_board(app, err);
    if (status == TC_OK)
        status = tc_group_join(app->ctx, TC_SECONDS(30), &app->group, err);
    if (status == TC_OK && tc_group_rank(app->group) == 0)
        status = send_visitors(app, err);
    if (status == TC_OK)
        status = tc_group_barrier(app->group, TC_SECONDS(30), err);
    return status;
}

int main(void)
{
    application app = {0};
    tc_error err = {TC_OK, ""};
    tc_status status = run(&app, &err);
    if (status != TC_OK)
        fprintf(stderr, "remote_memory: %s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(app.ctx); /* before its dependencies */
    if (app.memory != NULL)
        ucp_mem_unmap(app.ucx, app.memory);
    if (app.worker != NULL)
        ucp_worker_destroy(app.worker);
    if (app.ucx != NULL)
        ucp_cleanup(app.ucx);
    return status != TC_OK;
}
