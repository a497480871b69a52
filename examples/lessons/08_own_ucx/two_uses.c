/* One UCX worker for two: the application's tagged messages, and functions.
 *     tc-run -n 2 ./two_uses */
#include <stdio.h>
#include <tc/group.h>
#include <tc/tc.h>
#include <tc/ucx.h>

#define TAG 1
#define ADDRESS_MAX 4096

extern const tc_embedded worker_address_tca;

typedef struct application {
    ucp_context_h ucx;
    ucp_worker_h worker;
    ucp_address_t *address;
    tc_context *ctx;
    tc_group *group;
    volatile int ended; /* the request of UCX's that is waited for */
} application;

static tc_status ucx_failed(tc_error *err, const char *what, ucs_status_t status)
{
    snprintf(err->text, sizeof err->text, "%s: %s", what, ucs_status_string(status));
    return TC_E_UCX;
}

/* Tagged messages are the application's. The library needs the other two, WAKEUP to sleep. */
static tc_status create_worker(application *app, tc_error *err)
{
    const uint64_t features = UCP_FEATURE_TAG | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
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
    return tc_context_create_on_ucx(NULL, &objects, &app->ctx, err);
}

/* Others find the worker by a function. */
static tc_status publish_worker(application *app, tc_error *err)
{
    size_t size;
    ucs_status_t status = ucp_worker_get_address(app->worker, &app->address, &size);
    if (status != UCS_OK)
        return ucx_failed(err, "ucp_worker_get_address", status);
    return tc_context_publish(app->ctx, "worker_address", app->address, size, err);
}

static void on_sent(void *request, ucs_status_t status, void *user)
{
    application *app = user;
    (void)request, (void)status;
    app->ended = 1;
    tc_wake(app->ctx);
}

static void on_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
                        void *user)
{
    (void)info;
    on_sent(request, status, user);
}

/* Serves, functions included, until the request has ended that app->ended is for. */
static tc_status finish(application *app, ucs_status_ptr_t request, const char *what,
                        tc_error *err)
{
    ucs_status_t status = UCS_PTR_STATUS(request);
    if (UCS_PTR_IS_PTR(request)) {
        tc_serve(app->ctx, &app->ended);
        status = ucp_request_check_status(request);
        ucp_request_free(request);
    }
    app->ended = 0;
    return status == UCS_OK ? TC_OK : ucx_failed(err, what, status);
}

static tc_status receive(application *app, tc_error *err)
{
    char text[64] = "";
    const ucp_request_param_t params = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                        UCP_OP_ATTR_FIELD_USER_DATA,
                                        .cb.recv = on_received,
                                        .user_data = app};
    ucs_status_ptr_t request =
        ucp_tag_recv_nbx(app->worker, text, sizeof text - 1, TAG, UINT64_MAX, &params);
    tc_status status = finish(app, request, "receiving", err);
    if (status == TC_OK)
        printf("rank %u has received: %s\n", tc_group_rank(app->group), text);
    return status;
}

static tc_status send_to(application *app, const ucp_address_t *address, tc_error *err)
{
    static const char text[] = "a tagged message";
    const ucp_ep_params_t peer = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                  .address = address};
    const ucp_request_param_t params = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                        UCP_OP_ATTR_FIELD_USER_DATA,
                                        .cb.send = on_sent,
                                        .user_data = app};
    ucp_ep_h ep;
    ucs_status_t created = ucp_ep_create(app->worker, &peer, &ep);
    tc_status sent, closed;
    if (created != UCS_OK)
        return ucx_failed(err, "ucp_ep_create", created);
    sent = finish(app, ucp_tag_send_nbx(ep, text, sizeof text, TAG, &params), "sending", err);
    closed = finish(app, ucp_ep_close_nbx(ep, &params), "closing", err);
    return sent != TC_OK ? sent : closed;
}

/* Asks rank 1 where its worker is, by a function, and sends there by UCX. */
static tc_status ask_and_send(application *app, tc_error *err)
{
    _Alignas(16) char address[ADDRESS_MAX];
    size_t size = sizeof address;
    tc_ifunc *fn;
    tc_ep *ep;
    tc_status status = tc_ifunc_open_embedded(app->ctx, &worker_address_tca, &fn, err);
    if (status == TC_OK)
        status = tc_group_ep(app->group, 1, &ep, err);
    if (status == TC_OK)
        status = tc_call(ep, fn, NULL, 0, address, &size, TC_SECONDS(30), err);
    return status == TC_OK ? send_to(app, (const ucp_address_t *)(void *)address, err) : status;
}

static tc_status run(application *app, tc_error *err)
{
    tc_status status = create_worker(app, err);
    if (status == TC_OK)
        status = publish_worker(app, err);
    if (status == TC_OK)
        status = tc_group_join(app->ctx, TC_SECONDS(30), &app->group, err);
    if (status == TC_OK && tc_group_rank(app->group) == 0)
        status = ask_and_send(app, err);
    else if (status == TC_OK && tc_group_rank(app->group) == 1)
        status = receive(app, err);
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
        fprintf(stderr, "two_uses: %s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(app.ctx); /* before its dependencies */
    if (app.address != NULL)
        ucp_worker_release_address(app.worker, app.address);
    if (app.worker != NULL)
        ucp_worker_destroy(app.worker);
    if (app.ucx != NULL)
        ucp_cleanup(app.ucx);
    return status != TC_OK;
}
