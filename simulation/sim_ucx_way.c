/* Ways: each event lets the oldest news arrive, as in sim_network.c; and signals. */
#include "sim_memory.h"
#include "sim_network.h"
#include "sim_trace.h"
#include "sim_ucx.h"

#include <string.h>

#define RETRY_FIRST_NS 200000000ull
#define RETRY_LAST_NS 5000000000ull
#define HELD_FIRST_NS 1000u
#define HELD_LAST_NS 1000000u

sim_ucx_way *sim_ucx_way_make(ucp_ep_h ep)
{
    sim_ucx_way *way = sim_memory_real_clear(sizeof *way);
    if (way == NULL)
        return NULL;
    way->world = ep->base.node->world;
    way->from_ep = ep->base.number;
    way->from = ep->worker->base.number;
    way->from_host = ep->base.node->host;
    way->from_node = ep->base.node->number;
    way->last = &way->first;
    way->uses = 1;
    return way;
}

void sim_ucx_way_leave(sim_ucx_way *way)
{
    if (--way->uses == 0)
        sim_memory_real_resize(way, 0);
}

sim_ucx_news *sim_ucx_way_news(const sim_ucx_way *way, sim_ucx_news_kind kind, size_t bytes)
{
    sim_ucx_news *news = sim_memory_real_resize(NULL, sizeof *news + bytes);
    if (news == NULL)
        return NULL;
    *news = (sim_ucx_news){
        .kind = kind, .from = way->from, .from_ep = way->from_ep, .from_host = way->from_host};
    return news;
}

uint64_t sim_ucx_longer(uint64_t held_ns)
{
    return held_ns == 0 ? HELD_FIRST_NS : held_ns < HELD_LAST_NS ? 2 * held_ns : HELD_LAST_NS;
}

static void arrive(void *subject, uint64_t argument);

/* A connection of an adapter keeps messages behind the puts before them. */
static bool is_held(const sim_ucx_way *way)
{
    return way->from_host != way->to_host &&
           sim_ucx_put_is_ahead(way->world, way->from_ep, way->first->serial);
}

static void retry(sim_ucx_way *way)
{
    way->retry_ns = way->retry_ns == 0 ? RETRY_FIRST_NS : 2 * way->retry_ns;
    if (way->retry_ns > RETRY_LAST_NS)
        way->retry_ns = RETRY_LAST_NS;
    sim_world_after(way->world, way->retry_ns, arrive, way, 0);
}

/* A worker that has gone is missed by peers on other hosts alone. */
static void take(sim_ucx_way *way, sim_ucx_news *news)
{
    ucp_worker_h worker = sim_ucx_worker_of(way->world, way->to);
    if (worker != NULL) {
        sim_ucx_worker_tell(worker, news);
        return;
    }
    if (way->from_host != way->to_host)
        sim_ucx_signal(way->world, way->to_host, way->from_host, way->from_ep,
                       SIM_UCX_SIGNAL_LOST, (uint64_t)-UCS_ERR_CONNECTION_RESET);
    sim_memory_real_resize(news, 0);
}

static void arrive(void *subject, uint64_t argument)
{
    sim_ucx_way *way = subject;
    (void)argument;
    if (way->world->ucx == NULL) { /* the world ends */
        sim_ucx_news *news = way->first;
        way->first = news->next;
        sim_memory_real_resize(news, 0);
        sim_ucx_way_leave(way);
        return;
    }
    if (sim_network_is_cut(way->world, way->from_host, way->to_host)) {
        retry(way);
        return;
    }
    if (is_held(way)) {
        way->held_ns = sim_ucx_longer(way->held_ns);
        sim_world_after(way->world, way->held_ns, arrive, way, 0);
        return;
    }
    way->held_ns = 0;
    sim_ucx_news *news = way->first;
    way->first = news->next;
    if (way->first == NULL)
        way->last = &way->first;
    way->retry_ns = 0;
    sim_trace_event(way->world, SIM_TRACE_ARRIVES, sim_trace_pair(way->from_node, way->to_node),
                    news->kind == SIM_UCX_GONE
                        ? sim_trace_size(SIM_TRACE_RESET, 0)
                        : sim_trace_size(SIM_TRACE_BYTES, news->header_size + news->size));
    sim_ucx_endpoint_check(way->world, news->from_ep, news->serial);
    take(way, news);
    sim_ucx_way_leave(way);
}

void sim_ucx_way_end(sim_ucx_way *way, uint64_t at_ns)
{
    sim_ucx_news *news = sim_ucx_way_news(way, SIM_UCX_GONE, 0);
    if (way->last_arrival_ns < at_ns)
        way->last_arrival_ns = at_ns;
    if (news != NULL)
        sim_ucx_way_send(way, news);
}

void sim_ucx_way_send(sim_ucx_way *way, sim_ucx_news *news)
{
    tc_sim_world *world = way->world;
    const ucp_worker_h sender = sim_ucx_worker_of(world, way->from);
    const size_t size = news->header_size + (news->kind == SIM_UCX_MESSAGE ? news->size : 0);
    const uint64_t now_ns = tc_sim_now_ns(world);
    uint64_t at_ns = (way->busy_until_ns > now_ns ? way->busy_until_ns : now_ns) +
                     size / world->params.bytes_per_us * 1000;
    news->next = NULL;
    *way->last = news;
    way->last = &news->next;
    way->uses++;
    way->busy_until_ns = at_ns;
    at_ns += sim_network_delay(world, way->from_host, way->to_host);
    if (at_ns < way->last_arrival_ns)
        at_ns = way->last_arrival_ns;
    way->last_arrival_ns = at_ns;
    if (sender != NULL && sender->last_arrival_ns < at_ns)
        sender->last_arrival_ns = at_ns;
    sim_world_after(world, at_ns - now_ns, arrive, way, 0);
}

/* --- signals ----------------------------------------------------------------------------- */

typedef struct sim_signal {
    tc_sim_world *world;
    unsigned from_host, to_host;
    uint64_t ep, value, retry_ns;
    sim_ucx_signal_kind kind;
} sim_signal;

static void deliver(void *subject, uint64_t argument)
{
    sim_signal *s = subject;
    (void)argument;
    if (s->world->ucx != NULL && sim_network_is_cut(s->world, s->from_host, s->to_host)) {
        s->retry_ns = s->retry_ns == 0 ? RETRY_FIRST_NS : 2 * s->retry_ns;
        if (s->retry_ns > RETRY_LAST_NS)
            s->retry_ns = RETRY_LAST_NS;
        sim_world_after(s->world, s->retry_ns, deliver, s, 0);
        return;
    }
    ucp_ep_h ep = s->world->ucx != NULL ? sim_ucx_endpoint_of(s->world, s->ep) : NULL;
    if (ep != NULL) {
        sim_trace_number(s->world, s->ep << 3 | (uint64_t)s->kind);
        sim_ucx_endpoint_take(ep, s->kind, s->value);
    }
    sim_memory_real_resize(s, 0);
}

static void post(const sim_signal *draft, uint64_t in_ns)
{
    sim_signal *s = sim_memory_real_resize(NULL, sizeof *s);
    if (s == NULL) {
        sim_world_stop(draft->world, TC_E_NO_MEMORY, "simulation: no memory for a signal");
        return;
    }
    *s = *draft;
    sim_world_after(s->world, in_ns, deliver, s, 0);
}

void sim_ucx_signal(tc_sim_world *world, unsigned from_host, unsigned to_host, uint64_t ep,
                    sim_ucx_signal_kind kind, uint64_t value)
{
    const sim_signal draft = {world, from_host, to_host, ep, value, 0, kind};
    post(&draft, sim_network_delay(world, from_host, to_host));
}

void sim_ucx_signal_end(const ucp_ep_h ep, uint64_t at_ns)
{
    const sim_ucx_way *way = ep->way;
    const sim_signal draft = {way->world,
                              way->to_host,
                              way->from_host,
                              ep->base.number,
                              (uint64_t)-UCS_ERR_CONNECTION_RESET,
                              0,
                              SIM_UCX_SIGNAL_LOST};
    const uint64_t now_ns = tc_sim_now_ns(way->world);
    const uint64_t delay_ns = sim_network_delay(way->world, way->to_host, way->from_host);
    post(&draft, at_ns > now_ns + delay_ns ? at_ns - now_ns : delay_ns);
}

void sim_ucx_signal_after(tc_sim_world *world, uint64_t in_ns, uint64_t ep,
                          sim_ucx_signal_kind kind, uint64_t value)
{
    const sim_signal draft = {world, 0, 0, ep, value, 0, kind};
    post(&draft, in_ns);
}
