#include "info_cache.h"

#include "tool_help.h"
#include "tool_json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <tc/cache.h>
#include <time.h>

#define DATE_MAX 32
#define COLUMNS_OF_ENTRY 100u /* a narrower terminal gets it in lines of their own */

typedef struct listing {
    output_format format;
    bool begun;
} listing;

static void print_entry_text(const tc_cache_entry *entry, bool first)
{
    char date[DATE_MAX] = "-";
    time_t used_s = (time_t)entry->used_s;
    struct tm local;
    if (localtime_r(&used_s, &local) != NULL)
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
    if (tool_help_terminal() != 0 && tool_help_terminal() < COLUMNS_OF_ENTRY) {
        printf("%-20s %-9s %9" PRIu64 "  %s\n    %s, %s\n    %s\n", entry->name, entry->level,
               entry->bytes, date, entry->llvm, entry->cpu, entry->id);
        return;
    }
    if (first)
        printf("%-20s %-9s %9s  %-16s  %-8s %-14s %s\n", "function", "level", "bytes",
               "last use", "llvm", "cpu", "id");
    printf("%-20s %-9s %9" PRIu64 "  %-16s  %-8s %-14s %s\n", entry->name, entry->level,
           entry->bytes, date, entry->llvm, entry->cpu, entry->id);
}

static void print_entry_json(const tc_cache_entry *entry, bool first)
{
    fputs(first ? "\n{" : ", {", stdout);
    tool_json_member(stdout, "name", entry->name);
    fputs(", ", stdout);
    tool_json_member(stdout, "id", entry->id);
    fputs(", ", stdout);
    tool_json_member(stdout, "level", entry->level);
    fputs(", ", stdout);
    tool_json_member(stdout, "cpu", entry->cpu);
    fputs(", ", stdout);
    tool_json_member(stdout, "features", entry->features);
    fputs(", ", stdout);
    tool_json_member(stdout, "llvm", entry->llvm);
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

/* The totals come last, because they are known only when all files were read. */
static void print_totals(const listing *list, const tc_cache_totals *totals)
{
    if (list->format == FORMAT_JSON) {
        if (!list->begun)
            fputs("{\"functions\": [", stdout);
        fputs("], ", stdout);
        tool_json_member(stdout, "folder", totals->folder);
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

tc_status info_cache_report(output_format format, tc_error *err)
{
    listing list = {format, false};
    tc_cache_totals totals;
    tc_status status = tc_cache_list(NULL, print_entry, &list, &totals, err);
    if (status == TC_OK)
        print_totals(&list, &totals);
    return status;
}

tc_status info_cache_clear(output_format format, tc_error *err)
{
    tc_cache_totals removed;
    tc_status status = tc_cache_clear(NULL, &removed, err);
    if (status != TC_OK)
        return status;
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
    return TC_OK;
}
