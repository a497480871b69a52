#include "restarts_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_BYTES (TALLY_MAX * sizeof(uint32_t))
#define PRINTED_MAX 20u

bool restarts_record_open(restarts_record *record)
{
    static char path[] = "/tmp/restarts-tally-XXXXXX";
    int fd = mkstemp(path);
    *record = (restarts_record){.items = calloc(TALLY_MAX, sizeof(restarts_item))};
    if (fd < 0 || record->items == NULL || ftruncate(fd, FILE_BYTES) != 0 ||
        setenv(TALLY_FILE, path, 1) != 0)
        return false;
    void *runs = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    (void)close(fd);
    record->runs = runs;
    return runs != MAP_FAILED;
}

void restarts_record_close(restarts_record *record)
{
    (void)unlink(getenv(TALLY_FILE));
    (void)munmap((void *)(uintptr_t)record->runs, FILE_BYTES);
    free(record->items);
}

restarts_item *restarts_record_add(restarts_record *record, restarts_kind kind)
{
    if (record->count == TALLY_MAX) {
        fprintf(stderr, "restarts: more than %u calls\n", TALLY_MAX);
        exit(2);
    }
    restarts_item *item = &record->items[record->count++];
    item->kind = kind;
    item->in_order = true;
    return item;
}

unsigned restarts_record_unrun(const restarts_record *record, uint32_t first)
{
    unsigned unrun = 0;
    for (uint32_t i = first; i < record->count; i++)
        unrun += record->items[i].kind == RESTARTS_MESSAGE && record->runs[i] == 0;
    return unrun;
}

void restarts_record_wrong(restarts_record *record, uint32_t number, const char *what)
{
    const restarts_item *item = &record->items[number];
    if (record->wrong++ < PRINTED_MAX)
        fprintf(stderr,
                "restarts: %u: %s: kind %d, %u runs, %s, fate %d, sent %u, unsure %u, in order "
                "%d\n",
                number, what, (int)item->kind, record->runs[number],
                tc_status_name(item->outcome.status), (int)item->outcome.fate,
                item->outcome.sent, item->outcome.unsure, item->in_order);
}

/* Returns a broken promise, or NULL. */
static const char *judge(const restarts_item *item, uint32_t runs)
{
    const tc_steady_outcome *o = &item->outcome;
    if (item->kind == RESTARTS_MESSAGE)
        return runs > 1 ? "a message ran twice" : NULL;
    if (!item->has_ended)
        return "a call has no end";
    if (runs < (o->fate == TC_CALL_ANSWERED) ||
        runs > o->unsure + (o->fate == TC_CALL_ANSWERED))
        return "the number of runs is not as reported";
    if (item->kind == RESTARTS_ONCE && runs > 1)
        return "a call that may run once ran twice";
    if (item->in_order && (o->status != TC_OK || o->unsure > 0))
        return "a call failed, or was repeated, without a death";
    if (o->fate == TC_CALL_ANSWERED)
        return o->status != TC_OK || item->result > runs ? "the answer is wrong" : NULL;
    if (item->kind == RESTARTS_IDEMPOTENT)
        return "an idempotent call failed";
    return o->fate == TC_CALL_NOT_RUN ? "a call that has not run was given up" : NULL;
}

void restarts_record_check(restarts_record *record)
{
    unsigned calls[2] = {0}, failed[2] = {0}, twice = 0, messages = 0, unrun = 0, again = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        const restarts_item *item = &record->items[i];
        const char *wrong = judge(item, record->runs[i]);
        if (wrong != NULL)
            restarts_record_wrong(record, i, wrong);
        messages += item->kind == RESTARTS_MESSAGE;
        unrun += item->kind == RESTARTS_MESSAGE && record->runs[i] == 0;
        if (item->kind == RESTARTS_MESSAGE)
            continue;
        calls[item->kind]++;
        failed[item->kind] += item->outcome.status != TC_OK;
        twice += record->runs[i] > 1;
        again += item->outcome.sent > 1;
    }
    printf("calls once: %u, of which may have run: %u; idempotent: %u, failed: %u; sent again: "
           "%u, ran twice or more: %u; messages: %u, not run: %u; wrong: %u\n",
           calls[0], failed[0], calls[1], failed[1], again, twice, messages, unrun,
           record->wrong);
}
