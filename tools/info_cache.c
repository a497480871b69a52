#include "info_cache.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <tc/cache.h>
#include <time.h>

#define DATE_MAX 32

typedef struct listing {
    output_format format;
    bool begun;
} listing;

static int fail(const tc_error *err)
{
    fprintf(stderr, "tc-info: %s: %s\n", tc_status_name(err->status), err->text);
    return 1;
}

static void print_entry_text(const tc_cache_entry *entry, bool first)
{
    char date[DATE_MAX] = "-";
    time_t used_s = (time_t)entry->used_s;
    struct tm local;
    if (localtime_r(&used_s, &local) != NULL)
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
    if (first)
        printf("%-20s %-9s %9s  %-16s  %-8s %-14s %s\n", "function", "level", "bytes",
               "last use", "llvm", "cpu", "id");
    printf("%-20s %-9s %9" PRIu64 "  %-16s  %-8s %-14s %s\n", entry->name, entry->level,
           entry->bytes, date, entry->llvm, entry->cpu, entry->id);
}

static void print_entry_json(const tc_cache_entry *entry, bool first)
{
    fputs(first ? "\n{" : ", {", stdout);
    print_json_member("name", entry->name);
    fputs(", ", stdout);
    print_json_member("id", entry->id);
    fputs(", ", stdout);
    print_json_member("level", entry->level);
    fputs(", ", stdout);
    print_json_member("cpu", entry->cpu);
    fputs(", ", stdout);
    print_json_member("features", entry->features);
    fputs(", ", stdout);
    print_json_member("llvm", entry->llvm);
    printf(", \"slice\": %u, \"bytes\": %" PRIu64 ", \"used\": %" PRId64 "}\n", entry->slice,
           entry->bytes, entry->used_s);
}

static void print_entry(void *user, const tc_cache_entry *entry)
{
    listing *list = user;
    bool first = !list->begun;
    list->begun = true;
    if (list->format != FORMAT_JSON) {
        print_entry_text(entry, first);
        return;
    }
    if (first)
        fputs("{\"functions\": [", stdout);
    print_entry_json(entry, first);
}

/* The totals come last, because only who has read all files knows them. */
static void print_totals(const listing *list, const tc_cache_totals *totals)
{
    if (list->format == FORMAT_JSON) {
        if (!list->begun)
            fputs("{\"functions\": [", stdout);
        fputs("], ", stdout);
        print_json_member("folder", totals->folder);
        printf(", \"count\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"limit\": %" PRIu64
               ", \"others\": %" PRIu64 "}\n",
               totals->entries, totals->bytes, totals->bytes_max, totals->others);
        return;
    }
    if (totals->folder[0] == '\0') {
        puts("no cache: TC_CACHE_DIR is empty, or the default is no place of this user's");
        return;
    }
    printf("%s%s: %" PRIu64 " functions, %" PRIu64 " bytes, limit %" PRIu64 "\n",
           list->begun ? "\n" : "", totals->folder, totals->entries, totals->bytes,
           totals->bytes_max);
    if (totals->others > 0)
        printf("%" PRIu64 " files are damaged, half written or foreign\n", totals->others);
}

int report_cache(output_format format)
{
    listing list = {format, false};
    tc_cache_totals totals;
    tc_error err;
    if (tc_cache_list(NULL, print_entry, &list, &totals, &err) != TC_OK)
        return fail(&err);
    print_totals(&list, &totals);
    return 0;
}

int clear_cache(output_format format)
{
    tc_cache_totals removed;
    tc_error err;
    if (tc_cache_clear(NULL, &removed, &err) != TC_OK)
        return fail(&err);
    if (format == FORMAT_JSON) {
        const field fields[] = {
            {"folder", removed.folder, 0},
            {"removed", NULL, removed.entries},
            {"bytes", NULL, removed.bytes},
        };
        print_fields_json(fields, sizeof fields / sizeof fields[0]);
    } else if (removed.folder[0] == '\0') {
        puts("no cache, nothing to remove");
    } else {
        printf("%s: removed %" PRIu64 " functions, %" PRIu64 " bytes\n", removed.folder,
               removed.entries, removed.bytes);
    }
    return 0;
}
