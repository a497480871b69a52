#include "baseline_chase.h"

#include "perf_clock.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <tc/options.h>

/* As in the library. */
#define YIELDS 20u
#define SHARED_YIELD_NS 1000u

bool baseline_chase_complain(baseline_chase *ucx, const char *what, ucs_status_t status)
{
    return perf_session_complain(ucx->series->session, "%s: ucx: %s: %s",
                                 ucx->series->mode->name, what, ucs_status_string(status));
}

/* The library's option `spin` as it is in force, so that both sides spin for as long. */
static uint64_t library_spin_ns(void)
{
    char text[32] = "";
    char *unit;
    tc_options *options;
    if (tc_options_create(&options, NULL) != TC_OK)
        return 0;
    if (tc_options_get(options, "spin", text, sizeof text) != TC_OK)
        text[0] = '\0';
    tc_options_destroy(options);
    uint64_t value = strtoull(text, &unit, 10);
    return value * (*unit == 'u'   ? 1000
                    : *unit == 'm' ? 1000000
                    : *unit == 's' ? 1000000000
                                   : 1);
}

static dapc_policy policy_of(const char *name)
{
    static const char *const names[] = {[DAPC_ADAPTIVE] = "adaptive",
                                        [DAPC_SPIN] = "spin",
                                        [DAPC_YIELD] = "yield",
                                        [DAPC_BLOCK] = "block"};
    unsigned policy = DAPC_BLOCK;
    while (policy > 0 && strcmp(names[policy], name) != 0)
        policy--;
    return (dapc_policy)policy;
}

static bool sleeps(const baseline_chase *ucx)
{
    return ucx->policy == DAPC_ADAPTIVE || ucx->policy == DAPC_BLOCK;
}

bool baseline_chase_open(baseline_chase *ucx, dapc_series *series, uint64_t features)
{
    *ucx = (baseline_chase){.series = series,
                            .wake_fd = -1,
                            .policy = policy_of(series->wait),
                            .spin_ns = library_spin_ns()};
    /* A worker that never sleeps does not make its peers check for that. */
    if (sleeps(ucx))
        features |= UCP_FEATURE_WAKEUP;
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = features};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucs_status_t status = ucp_init(&params, NULL, &ucx->context);
    if (status != UCS_OK)
        return baseline_chase_complain(ucx, "ucp_init", status);
    status = ucp_worker_create(ucx->context, &worker_params, &ucx->worker);
    if (status != UCS_OK)
        return baseline_chase_complain(ucx, "ucp_worker_create", status);
    if (!sleeps(ucx))
        return true;
    status = ucp_worker_get_efd(ucx->worker, &ucx->wake_fd);
    return status == UCS_OK || baseline_chase_complain(ucx, "ucp_worker_get_efd", status);
}

/* Endpoints go with their worker: nothing is under way any more, and no peer waits for a last
 * message. */
void baseline_chase_close(baseline_chase *ucx)
{
    if (ucx->worker != NULL)
        ucp_worker_destroy(ucx->worker);
    if (ucx->context != NULL)
        ucp_cleanup(ucx->context);
    ucx->worker = NULL;
    ucx->context = NULL;
}

bool baseline_chase_add_address(baseline_chase *ucx, dapc_blob *blob)
{
    ucp_address_t *mine;
    size_t size;
    ucs_status_t status = ucp_worker_get_address(ucx->worker, &mine, &size);
    if (status != UCS_OK)
        return baseline_chase_complain(ucx, "ucp_worker_get_address", status);
    bool fits = blob->size + size <= sizeof blob->bytes;
    if (fits) {
        memcpy(blob->bytes + blob->size, mine, size);
        blob->size += (uint32_t)size;
    }
    ucp_worker_release_address(ucx->worker, mine);
    return fits || baseline_chase_complain(ucx, "address", UCS_ERR_EXCEEDS_LIMIT);
}

bool baseline_chase_connect(baseline_chase *ucx, unsigned rank, const dapc_blob *blob,
                            uint32_t at)
{
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
        .address = (const ucp_address_t *)(const void *)(blob->bytes + at),
        .err_mode = ucx->series->mode->is_safe ? UCP_ERR_HANDLING_MODE_PEER
                                               : UCP_ERR_HANDLING_MODE_NONE};
    ucs_status_t status = ucp_ep_create(ucx->worker, &params, &ucx->peers[rank]);
    return status == UCS_OK || baseline_chase_complain(ucx, "ucp_ep_create", status);
}

bool baseline_chase_flush(baseline_chase *ucx)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    ucs_status_t status = UCS_OK;
    uint64_t deadline_ns = perf_now_ns() + PERF_SILENCE_NS;
    void *request = ucp_worker_flush_nbx(ucx->worker, &params);
    if (UCS_PTR_IS_ERR(request))
        return baseline_chase_complain(ucx, "flush", UCS_PTR_STATUS(request));
    if (request == NULL)
        return true;
    while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) {
        if (perf_now_ns() > deadline_ns)
            return baseline_chase_complain(ucx, "flush", UCS_ERR_TIMED_OUT);
        baseline_chase_turn(ucx);
    }
    ucp_request_free(request);
    return status == UCS_OK || baseline_chase_complain(ucx, "flush", status);
}

static void sleep_a_while(baseline_chase *ucx)
{
    struct pollfd fd = {.fd = ucx->wake_fd, .events = POLLIN};
    if (ucp_worker_arm(ucx->worker) == UCS_OK)
        (void)poll(&fd, 1, (int)(dapc_look_ns(ucx->series) / PERF_NS_PER_MS));
}

static void give_way(baseline_chase *ucx, uint64_t now_ns)
{
    (void)sched_yield();
    ucx->shares_cpu = perf_now_ns() - now_ns > SHARED_YIELD_NS;
}

/* The library's tc_wait does the same: option `wait`. It has no `yield`, as programs do that
 * poll with more processes than processors. */
void baseline_chase_idle(baseline_chase *ucx)
{
    uint64_t now_ns = ucx->policy == DAPC_ADAPTIVE ? perf_now_ns() : 0;
    if (ucx->idle_since_ns == 0) {
        ucx->idle_since_ns = now_ns;
        ucx->yields = 0;
    }
    if (ucx->policy == DAPC_SPIN || (ucx->policy == DAPC_ADAPTIVE && !ucx->shares_cpu &&
                                     now_ns - ucx->idle_since_ns < ucx->spin_ns))
        return;
    if (ucx->policy == DAPC_YIELD)
        (void)sched_yield();
    else if (ucx->policy == DAPC_ADAPTIVE && ucx->yields++ < YIELDS)
        give_way(ucx, now_ns);
    else
        sleep_a_while(ucx);
}
