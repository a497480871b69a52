#include "session.h"

#include "../shipped/travel.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/endpoint.h>
#include <unistd.h>

#define ARCHIVE_MAX 65536u
#define LARGE_BYTES (4u << 20)
#define MESSAGES 64u
#define ECHO_MAX 65536u
#define TURN_NS 1000000ull

/* --- endpoints --------------------------------------------------------------------------- */

static bool is_address(const char *peer)
{
    return strchr(peer, ':') == NULL;
}

static tc_status connect_address(session *s, tc_ep **ep_out, tc_error *err)
{
    size_t size = strlen(s->peer) / 2;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL)
        return TC_E_NO_MEMORY;
    for (size_t i = 0; i < size; i++) {
        char digits[3] = {s->peer[2 * i], s->peer[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    tc_status status = tc_ep_connect_address(s->ctx, bytes, size, s->patience_ns, ep_out, err);
    free(bytes);
    return status;
}

static tc_status connect_peer(session *s, tc_error *err)
{
    tc_status status = is_address(s->peer)
                           ? connect_address(s, &s->eps[0], err)
                           : tc_ep_connect(s->ctx, s->peer, s->patience_ns, &s->eps[0], err);
    s->ep_count = status == TC_OK;
    return status;
}

static tc_status join(session *s, tc_error *err)
{
    tc_status status = tc_group_join(s->ctx, s->patience_ns, &s->group, err);
    unsigned members = s->members;
    if (status == TC_OK && members == 0) {
        members = tc_group_size(s->group);
        status = tc_group_connect(s->group, s->patience_ns, err);
    }
    s->ep_count = 0;
    for (uint32_t rank = 0; status == TC_OK && rank < members; rank++) {
        if (rank != tc_group_rank(s->group))
            status = tc_group_ep(s->group, rank, &s->eps[s->ep_count++], err);
    }
    return status;
}

tc_status session_open(session *s, tc_error *err)
{
    tc_status status = TC_OK;
    if (s->travel == NULL)
        status = tc_ifunc_open(s->ctx, "travel", &s->travel, err);
    if (status != TC_OK)
        return status;
    return s->peer != NULL ? connect_peer(s, err) : join(s, err);
}

void session_close(session *s)
{
    if (s->group != NULL)
        tc_group_destroy(s->group);
    else if (s->ep_count > 0)
        tc_ep_close(s->eps[0]);
    s->group = NULL;
    s->ep_count = 0;
}

/* --- messages ---------------------------------------------------------------------------- */

static tc_status send(session *s, tc_ep *ep, const void *payload, size_t size)
{
    const uint64_t deadline_ns = tci_deadline_after(s->patience_ns);
    tc_status status;
    while ((status = tc_send(ep, s->travel, payload, size)) == TC_E_AGAIN) {
        if (tci_deadline_left_ns(deadline_ns) == 0)
            return TC_E_TIMEOUT;
        tc_status waited = tc_wait(s->ctx, TURN_NS);
        if (waited != TC_OK && waited != TC_E_TIMEOUT)
            return waited;
    }
    return status;
}

tc_status session_echo(session *s, tc_ep *ep, tc_ifunc *fn, size_t size, tc_error *err)
{
    static uint8_t question[sizeof(travel_order) + ECHO_MAX], answer[ECHO_MAX];
    const travel_order order = {.task = TRAVEL_ECHO};
    size_t answer_size = sizeof answer;
    size = size < ECHO_MAX ? size : ECHO_MAX;
    memcpy(question, &order, sizeof order);
    for (size_t i = 0; i < size; i++)
        question[sizeof order + i] = (uint8_t)(s->round * 31 + i * 13 + (i >> 8));
    tc_status status = tc_call(ep, fn, question, sizeof order + size, answer, &answer_size,
                               s->patience_ns, err);
    if (status != TC_OK)
        return status;
    if (answer_size == size && memcmp(answer, question + sizeof order, size) == 0)
        return TC_OK;
    (void)snprintf(err->text, sizeof err->text, "wrong answer of %zu bytes to %zu", answer_size,
                   size);
    return TC_E_CORRUPT;
}

/* --- operations -------------------------------------------------------------------------- */

/* Members leave together: one that left early would end endpoints that others still wait
 * for. */
static tc_status leave(session *s, tc_status status, tc_error *err)
{
    if (status == TC_OK && s->group != NULL)
        status = tc_group_barrier(s->group, s->patience_ns, err);
    session_close(s);
    return status;
}

static tc_status run_connect(session *s, tc_error *err)
{
    tc_status status = session_open(s, err);
    return leave(s, status, err);
}

static tc_status run_close(session *s, tc_error *err)
{
    const travel_order order = {.task = TRAVEL_NOTHING};
    tc_status status = session_open(s, err);
    for (unsigned n = 0; status == TC_OK && n < MESSAGES; n++)
        status = send(s, s->eps[n % s->ep_count], &order, sizeof order);
    return leave(s, status, err);
}

/* A comment in the list of libraries makes another function of the same archive. */
static tc_status open_variant(session *s, tc_ifunc **fn_out, tc_error *err)
{
    static uint8_t archive[ARCHIVE_MAX];
    static size_t archive_size;
    static unsigned long long variants; /* one that was refused stays refused */
    char path[1024], deps[64];
    if (archive_size == 0) {
        (void)snprintf(path, sizeof path, "%s/travel.tca", getenv("TC_IFUNC_PATH"));
        FILE *file = fopen(path, "rbe");
        if (file == NULL)
            return TC_E_NOT_FOUND;
        archive_size = fread(archive, 1, sizeof archive, file);
        (void)fclose(file);
    }
    int n = snprintf(deps, sizeof deps, "# %d %llu\n", (int)getpid(), variants++);
    return tc_ifunc_open_code(
        s->ctx,
        &(tc_code){
            .bytes = archive, .size = archive_size, .deps = deps, .deps_size = (size_t)n},
        fn_out, err);
}

static tc_status run_code(session *s, tc_error *err)
{
    tc_ifunc *fn;
    tc_status status = open_variant(s, &fn, err);
    if (status != TC_OK)
        return status;
    for (unsigned i = 0; status == TC_OK && i < s->ep_count; i++)
        status = session_echo(s, s->eps[i], fn, 64, err);
    tc_ifunc_close(fn);
    return status;
}

static tc_status run_large(session *s, tc_error *err)
{
    static uint8_t *bytes; /* not of the program's own: others of it run with little memory */
    const char *megabytes = getenv("RELIABILITY_LARGE_MB");
    const size_t size = megabytes != NULL ? strtoul(megabytes, NULL, 10) << 20 : LARGE_BYTES;
    tc_status status = TC_OK;
    (void)err;
    if (bytes == NULL && (bytes = calloc(1, sizeof(travel_order) + size)) == NULL)
        return TC_E_NO_MEMORY;
    for (unsigned i = 0; status == TC_OK && i < s->ep_count; i++)
        status = send(s, s->eps[i], bytes, sizeof(travel_order) + size);
    return status;
}

static tc_status run_flush(session *s, tc_error *err)
{
    const travel_order order = {.task = TRAVEL_NOTHING};
    tc_status status = TC_OK;
    (void)err;
    for (unsigned i = 0; i < s->ep_count; i++) {
        for (unsigned n = 0; status == TC_OK && n < MESSAGES; n++)
            status = send(s, s->eps[i], &order, sizeof order);
        if (status == TC_OK)
            status = tc_ep_flush(s->eps[i], s->patience_ns, NULL);
    }
    return status;
}

static tc_status run_barrier(session *s, tc_error *err)
{
    return tc_group_barrier(s->group, s->patience_ns, err);
}

static tc_status run_call(session *s, tc_error *err)
{
    tc_status status = TC_OK;
    for (unsigned i = 0; status == TC_OK && i < s->ep_count; i++)
        status = session_echo(s, s->eps[i], s->travel, 100, err);
    return status;
}

static tc_status run_forward(session *s, tc_error *err)
{
    const travel_order order = {.task = TRAVEL_ROUND, .count = 2 * tc_group_size(s->group)};
    travel_place place = {0};
    size_t size = sizeof place;
    tc_status status =
        tc_call(s->eps[0], s->travel, &order, sizeof order, &place, &size, s->patience_ns, err);
    if (status != TC_OK || (size == sizeof place && place.hops == order.count))
        return status;
    (void)snprintf(err->text, sizeof err->text, "%u hops, expected %u", place.hops,
                   (unsigned)order.count);
    return TC_E_CORRUPT;
}

const session_op *session_find_op(const char *name)
{
    static const session_op ops[] = {
        {"connect", true, run_connect}, {"close", true, run_close},
        {"code", false, run_code},      {"large", false, run_large},
        {"flush", false, run_flush},    {"barrier", false, run_barrier},
        {"call", false, run_call},      {"forward", false, run_forward},
    };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    }
    return NULL;
}
