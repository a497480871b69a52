/* Two processes: rank 0 has a phone book, and rank 1 looks into it.
 *     tc-run -n 2 ./phone_book */
#include "phone_book.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tc/tc.h>
#include <tc/window.h>

extern const tc_embedded book_place_tca;

/* --- rank 0 ------------------------------------------------------------------------------- */

static phone_book book;
static tc_gptr place; /* of the book */

static void add(unsigned n, const char *name, const char *number)
{
    book_entry *entry = &book.entries[n];
    uint64_t *bucket = &book.buckets[book_bucket(name)];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    snprintf(entry->number, sizeof entry->number, "%s", number);
    entry->next = *bucket;
    *bucket = (uint64_t)((char *)entry - (char *)&book);
}

static tc_status open_book(tc_context *ctx, tc_group *group, tc_error *err)
{
    const tc_window_params params = {
        .memory = &book, .bytes = sizeof book, .rights = TC_WINDOW_READ, .group = group};
    for (unsigned i = 0; i < BUCKETS; i++)
        book.buckets[i] = offsetof(phone_book, entries);
    book.entries[0].next = offsetof(phone_book, entries);
    add(1, "Ada", "1815");
    add(2, "Grace", "1906");
    tc_status status = tc_window_open(ctx, &params, &place, err);
    return status == TC_OK ? tc_context_publish(ctx, "phone book", &place, sizeof place, err)
                           : status;
}

/* --- rank 1 ------------------------------------------------------------------------------- */

/* Gets the first entry of the name's bucket in one round trip, each further one in another. */
static tc_status look_up(tc_ep *ep, tc_gptr at, const char *name, tc_error *err)
{
    book_entry entry;
    const uint64_t bucket = offsetof(phone_book, buckets) + 8 * book_bucket(name);
    tc_status status =
        tc_window_get_indirect(ep, tc_gptr_add(at, bucket), 0, &entry, sizeof entry, 0, err);
    while (status == TC_OK && entry.name[0] != '\0' && strcmp(entry.name, name) != 0)
        status = tc_window_get(ep, tc_gptr_add(at, entry.next), &entry, sizeof entry, 0, err);
    if (status == TC_OK)
        printf("%s: %s\n", name, entry.name[0] != '\0' ? entry.number : "not listed");
    return status;
}

static tc_status ask(tc_context *ctx, tc_group *group, tc_error *err)
{
    tc_gptr at;
    tc_ep *ep;
    tc_ifunc *fn;
    size_t size = sizeof at;
    tc_status status = tc_group_ep(group, 0, &ep, err);
    if (status == TC_OK)
        status = tc_ifunc_open_embedded(ctx, &book_place_tca, &fn, err);
    if (status == TC_OK)
        status = tc_call(ep, fn, NULL, 0, &at, &size, 0, err);
    if (status == TC_OK)
        status = look_up(ep, at, "Ada", err);
    if (status == TC_OK)
        status = look_up(ep, at, "Grace", err);
    if (status == TC_OK)
        status = look_up(ep, at, "Kurt", err);
    return status;
}

static tc_status run(tc_context *ctx, tc_error *err)
{
    tc_group *group;
    tc_status status = tc_group_join(ctx, TC_SECONDS(30), &group, err);
    if (status == TC_OK && tc_group_rank(group) == 0)
        status = open_book(ctx, group, err);
    if (status == TC_OK)
        status = tc_group_barrier(group, TC_SECONDS(30), err); /* the book is open */
    if (status == TC_OK && tc_group_rank(group) == 1)
        status = ask(ctx, group, err);
    if (status == TC_OK)
        status = tc_group_barrier(group, TC_SECONDS(30), err); /* all answers have come */
    return status;
}

int main(void)
{
    tc_context *ctx = NULL;
    tc_error err = {TC_OK, ""};
    tc_status status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = run(ctx, &err);
    if (status != TC_OK)
        fprintf(stderr, "phone_book: %s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
