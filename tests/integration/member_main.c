/* A member of a group for the tests; ends when its standard input does.
 *
 * Prints "address HEX" at first. Then it takes commands, one per line, and reports each end:
 *
 *   group RANK HEX HEX ...   makes the group of these addresses; "joined RANK"
 *   calls N                  so many calls to each member, itself too; "right N" of all
 *   walks HOPS N             so many walks over HOPS members at a time; "right N" */
#include "program_report.h"
#include "walk_call.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/group.h>
#include <unistd.h>

#define PATIENCE_NS 100000000000ull
#define TURN_NS 5000000ull
#define GROUP_ID 7u
#define MEMBERS_MAX 64u
#define WALKS_MAX 16u

typedef struct member {
    tc_context *ctx;
    tc_group *group;
    tc_ifunc *walk;
} member;

/* Over its own text: two digits become a byte. */
static size_t from_hex(char *hex)
{
    size_t size = strlen(hex) / 2;
    for (size_t i = 0; i < size; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        hex[i] = (char)strtoul(digits, NULL, 16);
    }
    return size;
}

static void join(member *m, char *arguments)
{
    tc_group_member members[MEMBERS_MAX];
    tc_error error = {0};
    char *rest, *word = strtok_r(arguments, " ", &rest);
    tc_group_params params = {.id = GROUP_ID, .members = members};
    params.rank = (uint32_t)strtoul(word != NULL ? word : "", NULL, 10);
    while ((word = strtok_r(NULL, " ", &rest)) != NULL && params.size < MEMBERS_MAX) {
        members[params.size].size = from_hex(word);
        members[params.size++].address = word;
    }
    must(tc_group_create(m->ctx, &params, &m->group, &error), &error, "group");
    say("joined", tc_group_rank(m->group));
}

static void open_walk(member *m)
{
    tc_error error = {0};
    if (m->walk == NULL)
        must(tc_ifunc_open(m->ctx, "walk", &m->walk, &error), &error, "walk");
}

static void call_all(member *m, uint64_t count)
{
    uint64_t right = 0;
    uint32_t size = tc_group_size(m->group);
    tc_error error = {0};
    for (uint64_t n = 0; n < count; n++)
        for (uint32_t rank = 0; rank < size; rank++) {
            walk_message message = {.width = size}, answer = {0};
            size_t answer_size = sizeof answer;
            tc_ep *ep;
            must(tc_group_ep(m->group, rank, &ep, &error), &error, "endpoint");
            must(tc_call(ep, m->walk, &message, sizeof message, &answer, &answer_size,
                         PATIENCE_NS, &error),
                 &error, "call");
            right += answer_size == sizeof answer && answer.size == size &&
                     answer.digest == walk_digest(0, rank);
        }
    say("right", right);
}

static void walk_all(member *m, uint32_t hops, uint64_t count)
{
    static walk_call calls[WALKS_MAX];
    uint32_t size = tc_group_size(m->group);
    const walk_params params = {.first = (tc_group_rank(m->group) + 1) % size,
                                .hops = hops,
                                .width = size,
                                .timeout_ns = PATIENCE_NS,
                                .hop_limit = hops};
    tc_error error = {0};
    uint64_t right = 0;
    for (uint64_t n = 0; n < count && n < WALKS_MAX; n++)
        must(walk_call_start(m->group, m->walk, &params, &calls[n]), &error, "walk");
    for (uint64_t n = 0; n < count && n < WALKS_MAX; n++)
        right += walk_call_wait(m->group, &calls[n]) && walk_call_is_right(&calls[n]);
    say("right", right);
}

static void obey(member *m, char *line)
{
    char *rest;
    const char *word = strtok_r(line, " \n", &rest);
    if (word != NULL && strcmp(word, "group") == 0 && m->group == NULL) {
        rest[strcspn(rest, "\n")] = '\0';
        join(m, rest);
        return;
    }
    open_walk(m);
    uint64_t first = strtoull(rest, &rest, 10), second = strtoull(rest, NULL, 10);
    if (word != NULL && m->group != NULL && strcmp(word, "calls") == 0)
        call_all(m, first);
    else if (word != NULL && m->group != NULL && strcmp(word, "walks") == 0)
        walk_all(m, (uint32_t)first, second);
    else
        must(TC_E_INVALID, &(tc_error){.text = "unknown"}, "command");
}

/* Nothing of the input may wait in a buffer when poll is asked: one read, one line. */
static void serve(member *m)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char *line = NULL;
    size_t room = 0;
    setvbuf(stdin, NULL, _IONBF, 0);
    for (;;) {
        if (poll(&input, 1, 0) == 0) {
            tc_status status = tc_wait(m->ctx, TURN_NS);
            if (status != TC_OK && status != TC_E_TIMEOUT)
                break;
        } else if (getline(&line, &room, stdin) > 0)
            obey(m, line);
        else
            break;
    }
    free(line);
}

int main(void)
{
    member m = {.group = NULL};
    tc_error error = {0};
    must(tc_context_create(NULL, &m.ctx, &error), &error, "context");
    say_address(m.ctx);
    serve(&m);
    tc_context_destroy(m.ctx);
    return 0;
}
