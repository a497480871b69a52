/* Ways and connections. A segment that is sent makes one event. Each event lets the oldest
 * segment of its way arrive, so nothing overtakes; while the way is cut, the event runs again
 * later, as TCP sends again. */
#include "sim_network.h"

#include "sim_memory.h"
#include "sim_trace.h"
#include "sim_hooks.h"

#include "base/error_text.h"

#include <errno.h>
#include <string.h>

#define RETRY_FIRST_NS 200000000ull
#define RETRY_LAST_NS 5000000000ull

typedef struct segment {
    struct segment *next;
    sim_trace_segment kind;
    uint32_t from_node; /* or SIM_TRACE_NO_NODE */
    int errnum;
    size_t size;
    uint8_t bytes[];
} segment;

struct connection;

struct sim_network_way {
    struct connection *connection;
    unsigned from, to;
    sim_descriptor *sender, *receiver;
    segment *first, **last;
    size_t under_way; /* bytes of segments */
    uint64_t busy_until_ns, last_arrival_ns;
    uint64_t retry_ns, blocked_since_ns;
    uint8_t *bytes; /* that have arrived: [begin, end) */
    size_t begin, end, capacity;
    int error;
    bool answered, ended, deaf; /* deaf: its receiver has gone */
};

typedef struct connection {
    tc_sim_world *world;
    struct connection *next, **previous_next;
    sim_network_way ways[2];
    unsigned uses; /* four ends, and events */
} connection;

/* --- routes ------------------------------------------------------------------------------ */

static sim_route *route_of(const tc_sim_world *world, unsigned from, unsigned to)
{
    for (size_t i = 0; i < world->route_count; i++) {
        if (world->routes[i].from == from && world->routes[i].to == to)
            return &world->routes[i];
    }
    return NULL;
}

bool sim_network_is_cut(const tc_sim_world *world, unsigned from, unsigned to)
{
    const sim_route *route = route_of(world, from, to);
    return route != NULL && route->cut;
}

uint64_t sim_network_delay(tc_sim_world *world, unsigned from, unsigned to)
{
    const tc_sim_params *params = &world->params;
    return (from == to ? params->host_delay_ns : params->delay_ns) +
           sim_random_below(&world->random, params->jitter_ns + 1);
}

static void give_up_waiting(void *subject, uint64_t argument);

tc_status tc_sim_cut(tc_sim_world *world, unsigned from_host, unsigned to_host, bool cut,
                     tc_error *err)
{
    sim_route *route = route_of(world, from_host, to_host);
    if (route == NULL && cut) {
        sim_route *routes =
            sim_memory_real_resize(world->routes, (world->route_count + 1) * sizeof *routes);
        if (routes == NULL)
            return tci_error_set(err, TC_E_NO_MEMORY, "simulation: out of memory");
        world->routes = routes;
        route = &routes[world->route_count++];
        *route = (sim_route){.from = from_host, .to = to_host};
    }
    if (route == NULL || route->cut == cut)
        return TC_OK;
    sim_trace_event(world, cut ? SIM_TRACE_CUT : SIM_TRACE_JOINED,
                    sim_trace_pair(from_host, to_host), 0);
    route->cut = cut;
    route->since_ns = tc_sim_now_ns(world);
    if (cut)
        sim_world_after(world, world->params.connection_ns, give_up_waiting, world,
                        route->since_ns);
    return TC_OK;
}

void tc_sim_heal(tc_sim_world *world)
{
    for (size_t i = 0; i < world->route_count; i++) {
        const sim_route *route = &world->routes[i];
        (void)!tc_sim_cut(world, route->from, route->to, false, NULL);
    }
}

/* --- connections ------------------------------------------------------------------------- */

static connection *of(const sim_network_way *way)
{
    return way->connection;
}

static sim_network_way *opposite(const sim_network_way *way)
{
    connection *c = way->connection;
    return way == &c->ways[0] ? &c->ways[1] : &c->ways[0];
}

static void release(connection *c)
{
    if (--c->uses > 0)
        return;
    *c->previous_next = c->next;
    if (c->next != NULL)
        c->next->previous_next = c->previous_next;
    for (unsigned i = 0; i < 2; i++) {
        while (c->ways[i].first != NULL) {
            segment *s = c->ways[i].first;
            c->ways[i].first = s->next;
            sim_memory_real_resize(s, 0);
        }
        sim_memory_real_resize(c->ways[i].bytes, 0);
    }
    sim_memory_real_resize(c, 0);
}

bool sim_network_join(tc_sim_world *world, unsigned from, unsigned to,
                      sim_network_way **forth_out, sim_network_way **back_out)
{
    connection *c = sim_memory_real_clear(sizeof *c);
    if (c == NULL)
        return false;
    c->world = world;
    c->uses = 4;
    c->ways[0] = (sim_network_way){.connection = c, .from = from, .to = to};
    c->ways[1] = (sim_network_way){.connection = c, .from = to, .to = from};
    c->ways[0].last = &c->ways[0].first;
    c->ways[1].last = &c->ways[1].first;
    c->next = world->connections;
    c->previous_next = &world->connections;
    if (c->next != NULL)
        c->next->previous_next = &c->next;
    world->connections = c;
    *forth_out = &c->ways[0];
    *back_out = &c->ways[1];
    return true;
}

void sim_network_sender(sim_network_way *way, sim_descriptor *descriptor)
{
    way->sender = descriptor;
}

void sim_network_receiver(sim_network_way *way, sim_descriptor *descriptor)
{
    way->receiver = descriptor;
}

bool sim_network_is_deaf(const sim_network_way *way)
{
    return way->deaf;
}

void sim_network_leave_in(sim_network_way *way)
{
    way->receiver = NULL;
    way->deaf = true;
    release(of(way));
}

void sim_network_leave_out(sim_network_way *way)
{
    way->sender = NULL;
    release(of(way));
}

static uint32_t node_at(const sim_descriptor *end)
{
    return end != NULL ? end->node->number : SIM_TRACE_NO_NODE;
}

/* --- segments ---------------------------------------------------------------------------- */

static void fail_way(sim_network_way *way, int errnum)
{
    if (way->error == 0)
        way->error = errnum;
    if (way->receiver != NULL)
        sim_descriptor_changed(way->receiver);
}

/* Bytes for a socket that is gone are answered by a reset, as TCP does. It arrives behind all
 * that the socket has sent. */
static void take_bytes(sim_network_way *way, const segment *s)
{
    if (way->deaf) {
        sim_network_reset(opposite(way));
        return;
    }
    if (way->begin > 0 && way->end + s->size > way->capacity) {
        memmove(way->bytes, way->bytes + way->begin, way->end - way->begin);
        way->end -= way->begin;
        way->begin = 0;
    }
    if (way->end + s->size > way->capacity) {
        const size_t capacity = 2 * (way->end + s->size);
        uint8_t *bytes = sim_memory_real_resize(way->bytes, capacity);
        if (bytes == NULL) {
            fail_way(way, ECONNRESET);
            return;
        }
        way->bytes = bytes;
        way->capacity = capacity;
    }
    memcpy(way->bytes + way->end, s->bytes, s->size);
    way->end += s->size;
}

static void take(sim_network_way *way, const segment *s)
{
    switch (s->kind) {
    case SIM_TRACE_BYTES:
        take_bytes(way, s);
        break;
    case SIM_TRACE_END:
        way->ended = true;
        break;
    case SIM_TRACE_RESET:
        fail_way(way, ECONNRESET);
        break;
    case SIM_TRACE_ANSWER:
        way->answered = s->errnum == 0;
        if (s->errnum != 0)
            fail_way(way, s->errnum);
        break;
    }
    if (way->receiver != NULL)
        sim_descriptor_changed(way->receiver);
}

static void arrive(void *subject, uint64_t argument);

static void again(sim_network_way *way, void (*run)(void *subject, uint64_t argument),
                  void *subject)
{
    way->retry_ns = way->retry_ns == 0 ? RETRY_FIRST_NS : 2 * way->retry_ns;
    if (way->retry_ns > RETRY_LAST_NS)
        way->retry_ns = RETRY_LAST_NS;
    sim_world_after(of(way)->world, way->retry_ns, run, subject, 0);
}

static void arrive(void *subject, uint64_t argument)
{
    sim_network_way *way = subject;
    connection *c = of(way);
    (void)argument;
    if (sim_network_is_cut(c->world, way->from, way->to) && way->error == 0 && !way->deaf) {
        again(way, arrive, way);
        return;
    }
    segment *s = way->first;
    way->first = s->next;
    if (way->first == NULL)
        way->last = &way->first;
    way->retry_ns = 0;
    way->under_way -= s->size;
    sim_trace_event(c->world, SIM_TRACE_ARRIVES,
                    sim_trace_pair(s->from_node, node_at(way->receiver)),
                    sim_trace_size(s->kind, s->size));
    take(way, s);
    sim_memory_real_resize(s, 0);
    if (way->sender != NULL && way->deaf)
        sim_descriptor_changed(way->sender);
    release(c);
}

static bool send_segment(sim_network_way *way, sim_trace_segment kind, int errnum,
                         const void *bytes, size_t size)
{
    connection *c = of(way);
    tc_sim_world *world = c->world;
    segment *s = sim_memory_real_resize(NULL, sizeof *s + size);
    if (s == NULL)
        return false;
    *s = (segment){
        .kind = kind, .from_node = node_at(way->sender), .errnum = errnum, .size = size};
    if (size > 0)
        memcpy(s->bytes, bytes, size);
    *way->last = s;
    way->last = &s->next;
    way->under_way += size;
    c->uses++;
    const uint64_t now_ns = tc_sim_now_ns(world);
    uint64_t at_ns = (way->busy_until_ns > now_ns ? way->busy_until_ns : now_ns) +
                     size / world->params.bytes_per_us * 1000;
    way->busy_until_ns = at_ns;
    at_ns += sim_network_delay(world, way->from, way->to);
    if (at_ns < way->last_arrival_ns)
        at_ns = way->last_arrival_ns;
    way->last_arrival_ns = at_ns;
    sim_world_after(world, at_ns - now_ns, arrive, way, 0);
    return true;
}

void sim_network_answer(sim_network_way *back, int errnum)
{
    if (!send_segment(back, SIM_TRACE_ANSWER, errnum, NULL, 0))
        fail_way(back, ECONNREFUSED);
}

bool sim_network_is_answered(const sim_network_way *back)
{
    return back->answered;
}

void sim_network_retry(sim_network_way *forth, void (*run)(void *subject, uint64_t argument),
                       void *subject)
{
    again(forth, run, subject);
}

size_t sim_network_space(const sim_network_way *way)
{
    const size_t taken = way->under_way + (way->end - way->begin);
    const size_t window = of(way)->world->params.window_bytes;
    return taken < window ? window - taken : 0;
}

size_t sim_network_under_way(const sim_network_way *way)
{
    return way->under_way;
}

size_t sim_network_unread(const sim_network_way *way)
{
    return way->end - way->begin;
}

bool sim_network_write(sim_network_way *way, const void *bytes, size_t size)
{
    return send_segment(way, SIM_TRACE_BYTES, 0, bytes, size);
}

void sim_network_read(sim_network_way *way, void *bytes, size_t size, bool keep)
{
    const bool was_full = sim_network_space(way) == 0;
    memcpy(bytes, way->bytes + way->begin, size);
    if (keep)
        return;
    way->begin += size;
    if (way->begin == way->end) { /* most connections of a large world are idle */
        way->bytes = sim_memory_real_resize(way->bytes, 0);
        way->begin = way->end = way->capacity = 0;
    }
    if (was_full && way->sender != NULL)
        sim_descriptor_changed(way->sender);
}

void sim_network_end(sim_network_way *way)
{
    if (!send_segment(way, SIM_TRACE_END, 0, NULL, 0))
        fail_way(way, ECONNRESET);
}

void sim_network_reset(sim_network_way *way)
{
    if (!send_segment(way, SIM_TRACE_RESET, 0, NULL, 0))
        fail_way(way, ECONNRESET);
}

bool sim_network_has_ended(const sim_network_way *way)
{
    return way->ended && way->begin == way->end;
}

int sim_network_error(const sim_network_way *way)
{
    return way->error;
}

/* --- silence ----------------------------------------------------------------------------- */

/* A route that was cut for so long: its connections are lost at both sides, as TCP's keepalive
 * finds. */
static void give_up_waiting(void *subject, uint64_t since_ns)
{
    tc_sim_world *world = subject;
    for (connection *c = world->connections; c != NULL; c = c->next) {
        for (unsigned i = 0; i < 2; i++) {
            const sim_route *route = route_of(world, c->ways[i].from, c->ways[i].to);
            if (route == NULL || !route->cut || route->since_ns != since_ns)
                continue;
            fail_way(&c->ways[0], ETIMEDOUT);
            fail_way(&c->ways[1], ETIMEDOUT);
        }
    }
    for (size_t i = 0; i < world->route_count && world->ucx_hooks != NULL; i++) {
        const sim_route *route = &world->routes[i];
        if (route->cut && route->since_ns == since_ns)
            world->ucx_hooks->lose(world, route->from, route->to);
    }
}
