/* Flows, in an array. */
#include "flows.h"

#include <tc/sim.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x666c6f77u
#define FLOWS_MAX 65536u

/* Static, as memory that a node allocates is the node's. */
static flow flows[FLOWS_MAX];
static uint32_t count;
static uint64_t total;
static bool refusals_allowed;
static char error[512];

void flows_reset(bool refusals)
{
    refusals_allowed = refusals;
    count = 0;
    total = 0;
    error[0] = '\0';
}

const char *flows_error(void)
{
    return error[0] != '\0' ? error : NULL;
}

void flows_fail(const char *format, ...)
{
    va_list list;
    if (error[0] != '\0')
        return;
    va_start(list, format);
    (void)vsnprintf(error, sizeof error, format, list);
    va_end(list);
}

uint32_t flows_open(unsigned from, unsigned from_life, unsigned to)
{
    if (count == FLOWS_MAX) {
        flows_fail("more than %u flows in a world", FLOWS_MAX);
        return 0;
    }
    flows[count] = (flow){.from = from, .from_life = from_life, .to = to};
    return count++;
}

flow *flows_get(uint32_t number)
{
    return &flows[number];
}

#define LANES 4u
#define FACTOR 0x9e3779b97f4a7c15u

/* Eight bytes at a time, in sums that do not wait for one another: most payloads are large. */
static uint32_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sums[LANES] = {1, 2, 3, 4}, words[LANES];
    size_t i = 0;
    for (; i + sizeof words <= size; i += sizeof words) {
        memcpy(words, bytes + i, sizeof words);
        for (unsigned lane = 0; lane < LANES; lane++)
            sums[lane] = (sums[lane] ^ words[lane]) * FACTOR;
    }
    uint64_t sum = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        sum = (sum ^ sums[lane]) * FACTOR;
    for (; i < size; i++)
        sum = sum * 31 + bytes[i];
    return (uint32_t)(sum >> 32 ^ sum);
}

static void fill(uint8_t *bytes, size_t size, uint64_t seed)
{
    size_t i = 0;
    for (; i + sizeof seed <= size; i += sizeof seed) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(bytes + i, &seed, sizeof seed);
    }
    memset(bytes + i, (int)(seed & 0xff), size - i);
}

void flows_write(uint32_t number, unsigned function, flow_kind kind, void *bytes, size_t size)
{
    const flow *f = &flows[number];
    uint8_t *rest = (uint8_t *)bytes + sizeof(flow_header);
    fill(rest, size - sizeof(flow_header), (f->sent + 1) << 20 | number);
    const flow_header header = {
        MAGIC,    number,         f->sent + 1,
        function, (uint32_t)size, sum_of(rest, size - sizeof(flow_header)),
        kind};
    memcpy(bytes, &header, sizeof header);
    tc_sim_note("sends %u.%" PRIu64 " of function %u, %zu bytes", number, header.number,
                function, size);
}

/* A message that goes to one node, after the others of its flow. */
static void check_order(unsigned node, const flow_header *header)
{
    flow *f = &flows[header->flow];
    if (f->to != node)
        flows_fail("flow %u to node %u ran at node %u", header->flow, f->to, node);
    if (refusals_allowed && header->number > f->run + 1)
        f->dropped += header->number - f->run - 1;
    else if (header->number != f->run + 1)
        flows_fail("flow %u from node %u to node %u: message %" PRIu64 " ran after %" PRIu64,
                   header->flow, f->from, f->to, header->number, f->run);
    f->run = header->number;
}

/* A message that goes to each node once. */
static void check_once(unsigned node, const flow_header *header)
{
    flow *f = &flows[header->flow];
    if ((f->run_at >> node & 1) != 0)
        flows_fail("flow %u: a call of all members ran twice at node %u", header->flow, node);
    f->run_at |= 1u << node;
}

flow_header flows_check(unsigned node, unsigned function, const void *bytes, size_t size)
{
    const flow_header none = {0};
    flow_header header = none;
    if (size < sizeof header) {
        flows_fail("node %u: a payload of %zu bytes", node, size);
        return none;
    }
    memcpy(&header, bytes, sizeof header);
    if (header.magic != MAGIC || header.flow >= count || header.size != size) {
        flows_fail("node %u: a payload of %zu bytes is not what was sent", node, size);
        return none;
    }
    tc_sim_note("runs %u.%" PRIu64, header.flow, header.number);
    if (header.function != function)
        flows_fail("flow %u: message %" PRIu64 " for function %u ran function %u", header.flow,
                   header.number, header.function, function);
    if (header.sum != sum_of((const uint8_t *)bytes + sizeof header, size - sizeof header))
        flows_fail("flow %u: the bytes of message %" PRIu64 " differ", header.flow,
                   header.number);
    if (header.kind == FLOW_ALL)
        check_once(node, &header);
    else
        check_order(node, &header);
    total++;
    return header;
}

bool flows_is_whole(const void *bytes, size_t size)
{
    flow_header header;
    if (size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    return header.size == size &&
           header.sum == sum_of((const uint8_t *)bytes + sizeof header, size - sizeof header);
}

unsigned flows_target(unsigned node, const void *bytes, size_t size)
{
    flow_header header;
    if (size < sizeof header)
        return node;
    memcpy(&header, bytes, sizeof header);
    if (header.magic != MAGIC || header.kind != FLOW_FORWARDED || header.flow >= count)
        return node;
    return flows[header.flow].to;
}

bool flows_take_cut(unsigned node)
{
    for (flow *f = flows; f < flows + count; f++) {
        if (f->to != node || !f->may_be_cut || f->run > 0 || f->cut_seen)
            continue;
        f->cut_seen = true;
        return true;
    }
    return false;
}

void flows_end_target(unsigned to)
{
    for (flow *f = flows; f < flows + count; f++)
        f->target_ended |= f->to == to;
}

uint64_t flows_total(void)
{
    return total;
}
