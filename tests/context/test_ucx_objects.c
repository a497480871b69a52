/* A program that exchanges tag messages and active messages of its own on the worker that a
 * context was made on. Two processes; either progresses by UCX and by the library in turn. */
#include "../shipped/check.h"
#include "../support/require.h"
#include "../support/test.h"
#include "modules/ucx/worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <tc/ucx.h>
#include <unistd.h>

#define COUNT 500u
#define TIMEOUT_NS 60000000000ull
#define ADDRESS_MAX 4096u
#define FEATURES (UCP_FEATURE_TAG | UCP_FEATURE_AM)

/* Next to those of the library, on both sides. */
static const unsigned am_ids[2] = {TC_UCX_AM_ID_FIRST - 1,
                                   TC_UCX_AM_ID_FIRST + TC_UCX_AM_ID_COUNT};

/* One process of the program. */
typedef struct application {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h peer;
    int fd;
    uint64_t features;
    uint64_t turns;
    uint64_t am_received[2];
    tc_context *tc; /* NULL: not there, or not any more */
    check_state state;
} application;

/* --- UCX ---------------------------------------------------------------------------------- */

static ucs_status_t on_am(void *arg, const void *header, size_t header_size, void *data,
                          size_t size, const ucp_am_recv_param_t *param)
{
    uint64_t number;
    (void)header;
    (void)param;
    REQUIRE(header_size == 0 && size == sizeof number);
    memcpy(&number, data, sizeof number);
    REQUIRE(number == ++*(uint64_t *)arg);
    return UCS_OK;
}

static void start_ucx(application *app)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = app->features};
    const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    REQUIRE(ucp_init(&params, NULL, &app->context) == UCS_OK);
    REQUIRE(ucp_worker_create(app->context, &worker, &app->worker) == UCS_OK);
    for (unsigned i = 0; i < 2 && (app->features & UCP_FEATURE_AM) != 0; i++) {
        const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                              UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                              UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                                .id = am_ids[i],
                                                .cb = on_am,
                                                .arg = &app->am_received[i]};
        REQUIRE(ucp_worker_set_am_recv_handler(app->worker, &handler) == UCS_OK);
    }
}

static void exchange(int fd, const void *mine, size_t size, void *theirs)
{
    REQUIRE(send(fd, mine, size, MSG_NOSIGNAL) == (ssize_t)size);
    REQUIRE(recv(fd, theirs, size, MSG_WAITALL) == (ssize_t)size);
}

static void make_ep(application *app, const void *address)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = address};
    REQUIRE(ucp_ep_create(app->worker, &params, &app->peer) == UCS_OK);
}

static void copy_address(ucp_worker_h worker, char bytes[ADDRESS_MAX])
{
    ucp_address_t *address;
    size_t size;
    REQUIRE(ucp_worker_get_address(worker, &address, &size) == UCS_OK);
    REQUIRE(size <= ADDRESS_MAX);
    memcpy(bytes, address, size);
    ucp_worker_release_address(worker, address);
}

static void meet_peer(application *app)
{
    char mine[ADDRESS_MAX] = {0}, theirs[ADDRESS_MAX];
    copy_address(app->worker, mine);
    exchange(app->fd, mine, sizeof mine, theirs);
    make_ep(app, theirs);
}

/* By either side in turn, for a while each, so that both take in everything. */
static void turn(application *app)
{
    unsigned events;
    if (app->tc != NULL && ++app->turns / 16 % 2 == 0)
        events = tc_progress(app->tc);
    else
        events = ucp_worker_progress(app->worker);
    if (events == 0)
        sched_yield();
}

static void finish_request(application *app, void *request)
{
    REQUIRE(!UCS_PTR_IS_ERR(request));
    if (request == NULL)
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        turn(app);
    REQUIRE(ucp_request_check_status(request) == UCS_OK);
    ucp_request_free(request);
}

static void send_own(application *app, uint64_t number)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    finish_request(app, ucp_tag_send_nbx(app->peer, &number, sizeof number, number, &params));
    for (unsigned i = 0; i < 2; i++)
        finish_request(app, ucp_am_send_nbx(app->peer, am_ids[i], NULL, 0, &number,
                                            sizeof number, &params));
}

static void receive_own(application *app, uint64_t number)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    uint64_t found = 0;
    finish_request(
        app, ucp_tag_recv_nbx(app->worker, &found, sizeof found, number, UINT64_MAX, &params));
    REQUIRE(found == number);
    while (app->am_received[0] < number || app->am_received[1] < number)
        turn(app);
}

/* No side goes on before both are here; both serve each other meanwhile. */
static void meet_again(application *app)
{
    char byte = 'e';
    REQUIRE(send(app->fd, &byte, 1, MSG_NOSIGNAL) == 1);
    while (recv(app->fd, &byte, 1, MSG_DONTWAIT) < 0) {
        REQUIRE(errno == EAGAIN || errno == EINTR);
        turn(app);
    }
}

static void stop_ucx(application *app)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    meet_again(app);
    finish_request(app, ucp_ep_close_nbx(app->peer, &params));
    meet_again(app);
    ucp_worker_destroy(app->worker);
    ucp_cleanup(app->context);
}

/* --- both --------------------------------------------------------------------------------- */

static void start(application *app, int fd, uint64_t features)
{
    *app = (application){.fd = fd, .features = features};
    start_ucx(app);
    meet_peer(app);
    const tc_ucx_objects objects = {app->context, app->worker, features};
    tc_error error;
    tc_status status = tc_context_create_on_ucx(NULL, &objects, &app->tc, &error);
    if (status != TC_OK)
        fprintf(stderr, "%s\n", error.text);
    REQUIRE(status == TC_OK);
    tc_context_set_target_args(app->tc, &app->state);
}

static void end_library(application *app)
{
    meet_again(app);
    tc_context_destroy(app->tc);
    app->tc = NULL;
    meet_again(app);
}

static void target(int fd, uint64_t features)
{
    application app;
    tc_listener *listener;
    start(&app, fd, features);
    REQUIRE(tc_listener_open(app.tc, "127.0.0.1:0", &listener, NULL) == TC_OK);
    uint16_t port = tc_listener_port(listener), none;
    exchange(fd, &port, sizeof port, &none);
    for (uint64_t i = 1; i <= COUNT; i++)
        receive_own(&app, i);
    while (app.state.next < COUNT)
        turn(&app);
    REQUIRE(app.state.wrong == 0);
    for (uint64_t i = 1; i <= COUNT; i++)
        send_own(&app, i);
    end_library(&app);
    for (uint64_t i = COUNT + 1; i <= 2 * COUNT; i++)
        receive_own(&app, i);
    stop_ucx(&app);
}

static void send_function(application *app, tc_ep *ep, tc_ifunc *fn, uint64_t number)
{
    uint8_t payload[300];
    size_t size = number % sizeof payload;
    tc_status status;
    check_fill(payload, number, size);
    while ((status = tc_send(ep, fn, payload, size)) == TC_E_AGAIN)
        turn(app);
    REQUIRE(status == TC_OK);
}

static void source(int fd, uint64_t features)
{
    application app;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error error = {0};
    char host_port[32];
    uint16_t none = 0, port;
    start(&app, fd, features);
    exchange(fd, &none, sizeof none, &port);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", port);
    tc_status status = tc_ep_connect(app.tc, host_port, TIMEOUT_NS, &ep, &error);
    if (status != TC_OK)
        fprintf(stderr, "%s\n", error.text);
    REQUIRE(status == TC_OK);
    const char *expected = getenv("EXPECTED_DELIVERY");
    tc_ep_info info;
    tc_ep_query(ep, &info);
    REQUIRE(expected == NULL || strcmp(info.delivery, expected) == 0);
    REQUIRE(tc_ifunc_open(app.tc, "check", &fn, NULL) == TC_OK);
    for (uint64_t i = 0; i < COUNT; i++) {
        send_own(&app, i + 1);
        send_function(&app, ep, fn, i);
    }
    REQUIRE(tc_ep_flush(ep, TIMEOUT_NS, NULL) == TC_OK);
    for (uint64_t i = 1; i <= COUNT; i++)
        receive_own(&app, i);
    end_library(&app);
    /* The objects are the application's again. */
    for (uint64_t i = COUNT + 1; i <= 2 * COUNT; i++)
        send_own(&app, i);
    stop_ucx(&app);
}

static void run_both(uint64_t features)
{
    int fds[2], status = -1;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    (void)close(fds[pid == 0]);
    if (pid == 0) {
        (void)alarm(150);
        target(fds[0], features);
        _exit(0);
    }
    source(fds[1], features);
    (void)close(fds[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    assert_int_equal(status, 0);
}

TEST(everything_on_one_worker)
{
    run_both(FEATURES | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP);
}

/* The features that most programs request from UCX: no waking, no remote memory. */
TEST(with_fewer_features)
{
    const char *delivery = getenv("TC_DELIVERY");
    if (delivery == NULL || strcmp(delivery, "put") != 0)
        run_both(FEATURES);
}

/* --- afterwards --------------------------------------------------------------------------- */

static tc_status try_create(application *app, const tc_ucx_objects *objects, tc_error *error)
{
    tc_status status = tc_context_create_on_ucx(NULL, objects, &app->tc, error);
    if (status == TC_OK)
        tc_context_destroy(app->tc);
    return status;
}

/* From `from` to the worker of `to`, in this process; both are progressed until it is gone. */
static void send_late(application *from, application *to, unsigned id, size_t size)
{
    static char bytes[3 << 20];
    const ucp_request_param_t params = {.op_attr_mask = 0};
    REQUIRE(size <= sizeof bytes);
    void *request = ucp_am_send_nbx(from->peer, id, NULL, 0, bytes, size, &params);
    REQUIRE(!UCS_PTR_IS_ERR(request));
    while (request != NULL && ucp_request_check_status(request) == UCS_INPROGRESS) {
        turn(to);
        turn(from);
    }
    if (request != NULL)
        ucp_request_free(request);
}

/* Small ones, long ones and such as UCX fetches by rendezvous, for every id of the library,
 * come for a context that has gone. CTest fails when UCX prints a warning about them. */
TEST(late_messages)
{
    static const size_t sizes[] = {0, 8, 2000, 50000, 3 << 20};
    application app = {.features = FEATURES}, other = {.features = FEATURES};
    tc_error error = {0};
    uint64_t number = 1;
    char address[ADDRESS_MAX];
    start_ucx(&app);
    start_ucx(&other);
    const tc_ucx_objects objects = {app.context, app.worker, FEATURES};
    assert_ok(try_create(&app, &objects, &error));
    app.tc = NULL;
    copy_address(app.worker, address);
    make_ep(&other, address);
    for (unsigned id = TC_UCX_AM_ID_FIRST; id < TC_UCX_AM_ID_FIRST + TCI_AM_COUNT; id++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            send_late(&other, &app, id, sizes[i]);
    const ucp_request_param_t params = {.op_attr_mask = 0};
    void *request =
        ucp_am_send_nbx(other.peer, am_ids[0], NULL, 0, &number, sizeof number, &params);
    while (app.am_received[0] == 0) {
        turn(&app);
        turn(&other);
    }
    finish_request(&other, request);
    ucp_worker_destroy(other.worker);
    ucp_worker_destroy(app.worker);
    ucp_cleanup(other.context);
    ucp_cleanup(app.context);
}

/* UCX keeps a pointer to the handler that drops them. */
TEST(library_stays)
{
    void *library = dlopen(TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_int_equal(dlclose(library), 0);
    assert_non_null(dlopen(TEST_LIBRARY, RTLD_NOW | RTLD_NOLOAD));
}

/* --- refused objects ------------------------------------------------------------------- */

TEST(unsuitable_objects)
{
    application app = {.features = UCP_FEATURE_TAG};
    tc_error error = {0};
    start_ucx(&app);
    tc_ucx_objects objects = {NULL, app.worker, FEATURES};
    assert_status(try_create(&app, &objects, &error), TC_E_INVALID);
    objects = (tc_ucx_objects){app.context, app.worker, app.features};
    assert_status(try_create(&app, &objects, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "UCP_FEATURE_AM"));
    objects.features |= UCP_FEATURE_AM; /* which is not so */
    assert_status(try_create(&app, &objects, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "UCP_FEATURE_AM"));
    ucp_worker_destroy(app.worker);
    ucp_cleanup(app.context);
}

/* Contexts one after another on the same worker, and on a context alone. */
TEST(again_and_again)
{
    application app = {.features = FEATURES};
    tc_error error = {0};
    start_ucx(&app);
    for (unsigned i = 0; i < 4; i++) {
        const tc_ucx_objects objects = {app.context, i % 2 == 0 ? app.worker : NULL, FEATURES};
        assert_ok(try_create(&app, &objects, &error));
        (void)ucp_worker_progress(app.worker);
    }
    ucp_worker_destroy(app.worker);
    ucp_cleanup(app.context);
}
