#include "remote_scan.h"

#include "get_if.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATTERN_MAX 4096u

typedef struct query {
    get_if_query head;
    char pattern[PATTERN_MAX];
} query;

/* How far it is with one server. */
typedef struct server {
    struct scan *scan;
    uint32_t rank;
    bool asking; /* a call is under way, and `answer` is its */
    bool done;
    uint64_t next;
    uint64_t table_bytes;
    char *answer;
    char *text; /* lines so far */
    size_t size, room;
} server;

typedef struct scan {
    const remote_scan_params *params;
    query query;
    size_t query_size;
    server *servers;
    uint32_t count;
    uint32_t left; /* servers that have more */
    bool failed;
    remote_scan_result result;
} scan;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void fail(server *s, const char *text)
{
    if (!s->scan->failed)
        fprintf(stderr, "get_if: server %" PRIu32 ": %s\n", s->rank, text);
    s->scan->failed = true;
}

static bool keep_lines(server *s, const char *lines, size_t size)
{
    if (size == 0)
        return true;
    if (s->room - s->size < size) {
        size_t room = (s->size + size) * 2;
        char *text = realloc(s->text, room);
        if (text == NULL)
            return false;
        s->text = text;
        s->room = room;
    }
    memcpy(s->text + s->size, lines, size);
    s->size += size;
    return true;
}

static void take_answer(server *s, size_t size)
{
    remote_scan_result *result = &s->scan->result;
    get_if_answer head;
    if (size < sizeof head) {
        fail(s, "an answer without its head");
        return;
    }
    memcpy(&head, s->answer, sizeof head);
    if (head.next <= s->next && head.next != head.table_bytes)
        fail(s, "an answer that leads nowhere");
    else if (!keep_lines(s, s->answer + sizeof head, size - sizeof head))
        fail(s, "no memory for its lines");
    result->lines += head.lines;
    result->answer_bytes += size;
    s->next = head.next;
    s->table_bytes = head.table_bytes;
    s->done = head.next == head.table_bytes;
    s->scan->left -= s->done;
}

static void answered(void *user, const tc_call_outcome *outcome)
{
    server *s = user;
    s->asking = false;
    if (outcome->status != TC_OK)
        fail(s, outcome->text);
    else
        take_answer(s, outcome->result_size);
}

/* Where the member has no space now, the next round asks. */
static void ask(server *s)
{
    scan *all = s->scan;
    const remote_scan_params *params = all->params;
    const tc_call_params call = {.result = s->answer,
                                 .result_capacity = params->answer_max,
                                 .timeout_ns = params->timeout_ns,
                                 .done = answered,
                                 .user = s};
    tc_error err = {TC_OK, ""};
    tc_ep *ep;
    all->query.head.from = s->next;
    if (tc_group_ep(params->group, s->rank, &ep, &err) != TC_OK) {
        fail(s, err.text);
        return;
    }
    tc_status status =
        tc_call_start(ep, params->get_if, &all->query, all->query_size, &call, NULL, &err);
    s->asking = status == TC_OK;
    all->result.calls += s->asking;
    if (status != TC_OK && status != TC_E_AGAIN)
        fail(s, err.text);
}

/* Calls that are still under way have this scan's memory: after a failure they are waited for,
 * which their deadlines bound. */
static void run(scan *all)
{
    tc_context *ctx = tc_group_context(all->params->group);
    while (all->left > 0 && !all->failed) {
        for (uint32_t i = 0; i < all->count && !all->failed; i++)
            if (!all->servers[i].asking && !all->servers[i].done)
                ask(&all->servers[i]);
        tc_status status = tc_wait(ctx, all->params->timeout_ns);
        all->failed = all->failed || (status != TC_OK && status != TC_E_TIMEOUT);
    }
    (void)tc_calls_wait(ctx, TC_FOREVER);
}

static bool prepare(scan *all, const remote_scan_params *params)
{
    size_t pattern_bytes = strlen(params->pattern);
    if (pattern_bytes > PATTERN_MAX) {
        fprintf(stderr, "get_if: the pattern is too long\n");
        return false;
    }
    all->params = params;
    all->query.head = (get_if_query){.answer_max = params->answer_max,
                                     .scan_max = GET_IF_SCAN_MAX,
                                     .kind = params->kind,
                                     .pattern_bytes = (uint32_t)pattern_bytes};
    memcpy(all->query.pattern, params->pattern, pattern_bytes);
    all->query_size = sizeof all->query.head + pattern_bytes;
    all->count = all->left = tc_group_size(params->group) - 1;
    all->servers = calloc(all->count, sizeof *all->servers);
    bool ok = all->servers != NULL;
    for (uint32_t i = 0; ok && i < all->count; i++) {
        all->servers[i] = (server){.scan = all, .rank = i + 1};
        ok = (all->servers[i].answer = malloc(params->answer_max)) != NULL;
    }
    if (!ok)
        fprintf(stderr, "get_if: no memory\n");
    return ok;
}

/* The servers' lines behind one another. */
static bool join_lines(scan *all)
{
    remote_scan_result *result = &all->result;
    for (uint32_t i = 0; i < all->count; i++) {
        result->size += all->servers[i].size;
        result->table_bytes += all->servers[i].table_bytes;
    }
    result->text = malloc(result->size + 1);
    if (result->text == NULL)
        return false;
    char *at = result->text;
    for (uint32_t i = 0; i < all->count; at += all->servers[i].size, i++)
        if (all->servers[i].size > 0)
            memcpy(at, all->servers[i].text, all->servers[i].size);
    return true;
}

bool remote_scan(const remote_scan_params *params, remote_scan_result *result_out)
{
    scan all = {.left = 0};
    uint64_t started_ns = now_ns();
    bool ok = prepare(&all, params);
    if (ok)
        run(&all);
    ok = ok && !all.failed && join_lines(&all);
    all.result.elapsed_ns = now_ns() - started_ns;
    for (uint32_t i = 0; all.servers != NULL && i < all.count; i++) {
        free(all.servers[i].answer);
        free(all.servers[i].text);
    }
    free(all.servers);
    if (ok)
        *result_out = all.result;
    return ok;
}

void remote_scan_free(remote_scan_result *result)
{
    free(result->text);
    *result = (remote_scan_result){.text = NULL};
}
