/* Asks servers for the rows of their tables that match, in two ways: by a function that reads
 * the query for every row, and by one that another function makes for the query where the rows
 * are.
 *
 *   tc-run -n SERVERS+1 specialise_run [ROWS [ROUNDS]]
 *
 * Rank 0 asks; every other rank has a table, and serves. */
#include "filter_check.h"
#include "specialise.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/group.h>
#include <tc/tc.h>
#include <time.h>

#define CELL_MAX 1000u
#define ROUNDS_MAX 1000u

typedef struct query {
    const char *text;
    unsigned count;
    struct {
        filter_op op;
        unsigned column;
        int32_t value;
    } terms[FILTER_TERMS_MAX];
    /* The same in C, on a row's cells: both ways are checked against it. */
    bool (*holds)(const int32_t *c);
} query;

static bool holds_one(const int32_t *c)
{
    return c[1] < 500;
}

static bool holds_three(const int32_t *c)
{
    return c[1] < 500 && c[2] > 100 && !(c[3] == 7);
}

static bool holds_six(const int32_t *c)
{
    return (c[1] < 500 || c[2] > 900) && (c[3] < 250 || c[4] > 250) && c[5] > 10 && c[0] < 990;
}

static const query queries[] = {
    {"c1 < 500", 1, {{FILTER_LESS, 1, 500}}, holds_one},
    {"c1 < 500 and c2 > 100 and not c3 = 7",
     6,
     {{FILTER_LESS, 1, 500},
      {FILTER_GREATER, 2, 100},
      {FILTER_AND, 0, 0},
      {FILTER_EQUAL, 3, 7},
      {FILTER_NOT, 0, 0},
      {FILTER_AND, 0, 0}},
     holds_three},
    {"(c1 < 500 or c2 > 900) and (c3 < 250 or c4 > 250) and c5 > 10 and c0 < 990",
     11,
     {{FILTER_LESS, 1, 500},
      {FILTER_GREATER, 2, 900},
      {FILTER_OR, 0, 0},
      {FILTER_LESS, 3, 250},
      {FILTER_GREATER, 4, 250},
      {FILTER_OR, 0, 0},
      {FILTER_AND, 0, 0},
      {FILTER_GREATER, 5, 10},
      {FILTER_AND, 0, 0},
      {FILTER_LESS, 0, 990},
      {FILTER_AND, 0, 0}},
     holds_six}};

#define QUERY_COUNT (sizeof queries / sizeof queries[0])

static void write_program(const query *q, uint8_t *program)
{
    static const uint8_t mark[FILTER_MARK_BYTES] = {FILTER_MARK};
    memset(program, 0, FILTER_PROGRAM_BYTES);
    memcpy(program, mark, sizeof mark);
    program[FILTER_COUNT_AT] = (uint8_t)q->count;
    for (unsigned i = 0; i < q->count; i++) {
        uint8_t *term = program + FILTER_HEAD_BYTES + i * FILTER_TERM_BYTES;
        term[FILTER_OP_AT] = (uint8_t)q->terms[i].op;
        term[FILTER_COLUMN_AT] = (uint8_t)q->terms[i].column;
        memcpy(term + FILTER_VALUE_AT, &q->terms[i].value, sizeof(int32_t));
    }
}

static bool check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "specialise: %s: %s\n", what, err->text);
    return status == TC_OK;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- tables --- */

/* The same for the server and the check. */
static int32_t *make_table(uint32_t rank, size_t rows)
{
    int32_t *table = malloc(rows * FILTER_COLUMNS * sizeof *table);
    uint64_t random = 0x9e3779b97f4a7c15u * (rank + 1);
    for (size_t i = 0; table != NULL && i < rows * FILTER_COLUMNS; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        table[i] = (int32_t)((random >> 32) % CELL_MAX);
    }
    return table;
}

static bool add_expected(const query *q, uint32_t rank, size_t rows, filter_answer *all)
{
    int32_t cells[FILTER_COLUMNS], *table = make_table(rank, rows);
    for (size_t row = 0; table != NULL && row < rows; row++) {
        for (unsigned c = 0; c < FILTER_COLUMNS; c++)
            cells[c] = table[c * rows + row];
        if (q->holds(cells)) {
            all->matches++;
            all->sum += cells[0];
        }
    }
    all->rows += rows;
    free(table);
    return table != NULL;
}

/* --- servers --- */

static bool publish(tc_group *group, int32_t *table, size_t rows)
{
    tc_error err = {TC_OK, ""};
    return check(tc_context_publish(tc_group_context(group), FILTER_TABLE, table,
                                    rows * FILTER_COLUMNS * sizeof *table, &err),
                 &err, FILTER_TABLE);
}

/* Waiting at a barrier serves. */
static bool serve(tc_group *group, size_t rows)
{
    int32_t *table = make_table(tc_group_rank(group), rows);
    tc_error err = {TC_OK, ""};
    bool ok = table != NULL && publish(group, table, rows) &&
              check(tc_group_barrier(group, TC_SECONDS(60), &err), &err, "begin") &&
              check(tc_group_barrier(group, TC_SECONDS(600), &err), &err, "end");
    ok = publish(group, NULL, 0) && ok;
    free(table);
    return ok;
}

/* --- the client --- */

typedef struct client {
    tc_group *group;
    tc_ifunc *generic, *specialise;
    size_t rows;
    unsigned rounds;
} client;

/* All servers, one after the other: how long that took. */
static bool ask(const client *c, tc_ifunc *fn, const void *payload, size_t size,
                filter_answer *all, uint64_t *elapsed_out, tc_error *err)
{
    *all = (filter_answer){.rows = 0};
    const uint64_t started = now_ns();
    for (uint32_t rank = 1; rank < tc_group_size(c->group); rank++) {
        filter_answer answer;
        size_t answer_size = sizeof answer;
        tc_ep *ep;
        if (tc_group_ep(c->group, rank, &ep, err) != TC_OK ||
            tc_call(ep, fn, payload, size, &answer, &answer_size, TC_SECONDS(60), err) != TC_OK)
            return false;
        all->rows += answer.rows;
        all->matches += answer.matches;
        all->sum += answer.sum;
    }
    *elapsed_out = now_ns() - started;
    return true;
}

/* Beside other programs most rounds wait for a processor, and those of the faster way for
 * longer than they compute. */
static uint64_t fastest(const uint64_t *times, unsigned count)
{
    uint64_t least = times[0];
    for (unsigned i = 1; i < count; i++)
        least = times[i] < least ? times[i] : least;
    return least;
}

/* Both ways take turns, so that other load of the machine affects both. */
static bool measure(const client *c, const specialise_order *order, filter_answer found[2],
                    uint64_t elapsed[2], uint64_t *first)
{
    static uint64_t times[2][ROUNDS_MAX];
    tc_error err = {TC_OK, ""};
    bool ok =
        ask(c, c->generic, order->program, FILTER_PROGRAM_BYTES, &found[0], first, &err) &&
        ask(c, c->specialise, order, sizeof *order, &found[1], first, &err);
    for (unsigned i = 0; ok && i < c->rounds; i++)
        ok = ask(c, c->generic, order->program, FILTER_PROGRAM_BYTES, &found[0], &times[0][i],
                 &err) &&
             ask(c, c->specialise, order, sizeof *order, &found[1], &times[1][i], &err);
    for (unsigned way = 0; way < 2; way++)
        elapsed[way] = fastest(times[way], c->rounds);
    return ok || check(TC_E_IO, &err, "call");
}

static void show(const client *c, const query *q, const uint64_t elapsed[2], uint64_t first)
{
    const uint64_t servers = tc_group_size(c->group) - 1;
    const double rows = (double)(c->rows * servers);
    const double generic = (double)elapsed[0] / rows, made = (double)elapsed[1] / rows;
    printf("%s\n  generic %.2f ns a row, specialised %.2f: ratio %.1f; first call %.1f ms",
           q->text, generic, made, generic / made, (double)first / (double)servers / 1e6);
    if (generic > made)
        printf(", which %.0f rows pay for", (double)first / (double)servers / (generic - made));
    putchar('\n');
}

static bool run_query(const client *c, const query *q)
{
    specialise_order order = {.cut = 0};
    filter_answer found[2], expected = {.rows = 0};
    uint64_t elapsed[2], first;
    write_program(q, order.program);
    for (uint32_t rank = 1; rank < tc_group_size(c->group); rank++)
        if (!add_expected(q, rank, c->rows, &expected))
            return false;
    if (!measure(c, &order, found, elapsed, &first))
        return false;
    show(c, q, elapsed, first);
    for (unsigned way = 0; way < 2; way++) {
        if (memcmp(&found[way], &expected, sizeof expected) == 0)
            continue;
        printf("  WRONG: %s found %" PRIu64 " of %" PRIu64 " rows, sum %" PRId64
               "; expected %" PRIu64 " of %" PRIu64 ", sum %" PRId64 "\n",
               way == 0 ? "generic" : "specialised", found[way].matches, found[way].rows,
               found[way].sum, expected.matches, expected.rows, expected.sum);
        return false;
    }
    return true;
}

/* Malformed code: the caller receives the reason, and the node goes on. */
static bool spoil(const client *c)
{
    specialise_order order = {.cut = 1};
    filter_answer found;
    uint64_t elapsed;
    tc_error err = {TC_OK, ""};
    write_program(&queries[0], order.program);
    if (ask(c, c->specialise, &order, sizeof order, &found, &elapsed, &err)) {
        puts("spoilt code: WRONG: it ran");
        return false;
    }
    printf("spoilt code: %s (%s)\n", err.text, tc_status_name(err.status));
    return run_query(c, &queries[0]);
}

static bool ask_all(const client *c)
{
    bool ok = true;
    for (size_t i = 0; ok && i < QUERY_COUNT; i++)
        ok = run_query(c, &queries[i]);
    ok = ok && spoil(c);
    puts(ok ? "answers: right" : "answers: WRONG");
    return ok;
}

static bool be_client(client *c)
{
    tc_context *ctx = tc_group_context(c->group);
    tc_error err = {TC_OK, ""};
    if (!check(tc_ifunc_open(ctx, "generic", &c->generic, &err), &err, "generic") ||
        !check(tc_ifunc_open(ctx, "specialise", &c->specialise, &err), &err, "specialise") ||
        !check(tc_group_barrier(c->group, TC_SECONDS(60), &err), &err, "the servers"))
        return false;
    printf("%" PRIu32 " tables of %zu rows, the fastest of %u rounds\n",
           tc_group_size(c->group) - 1, c->rows, c->rounds);
    bool ok = ask_all(c);
    return check(tc_group_barrier(c->group, TC_SECONDS(60), &err), &err, "the end") && ok;
}

int main(int argc, char **argv)
{
    client c = {.rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000,
                .rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 21};
    tc_context *ctx;
    tc_error err = {TC_OK, ""};
    if (argc > 3 || c.rows == 0 || c.rounds == 0 || c.rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: tc-run -n N specialise_run [ROWS [ROUNDS]]\n");
        return 2;
    }
    if (!check(tc_context_create(NULL, &ctx, &err), &err, "context"))
        return 1;
    bool ok = check(tc_group_join(ctx, TC_SECONDS(60), &c.group, &err), &err, "group");
    if (ok && tc_group_size(c.group) < 2) {
        fprintf(stderr, "specialise: expected two processes at least\n");
        ok = false;
    }
    if (ok)
        ok = tc_group_rank(c.group) == 0 ? be_client(&c) : serve(c.group, c.rows);
    tc_context_destroy(ctx);
    return ok ? 0 : 1;
}
