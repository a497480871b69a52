/* Looks for lines in a table that is spread over several servers: by a function that goes to
 * them and comes back with matching lines, and, to compare, by fetching everything.
 *
 *   tc-run -n SERVERS+1 get_if_run [-F] [-o FILE] PATTERN PATH...
 *
 * Rank 0 asks; every other rank reads its share of the files below the paths, and serves. */
#include "get_if.h"
#include "line_filter.h"
#include "remote_scan.h"
#include "text_table.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/entry.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define CALL_TIMEOUT_NS (60 * NS_PER_S)
#define RUN_TIMEOUT_NS (600 * NS_PER_S)
#define MB 1e6

typedef struct arguments {
    line_filter_kind kind;
    const char *output; /* where the lines go; NULL: nowhere */
    const char *pattern;
    char *const *paths;
} arguments;

static const char usage[] =
    "usage: tc-run -n N get_if_run [-F] [-o FILE] PATTERN PATH...\n"
    "\n"
    "  -F, --fixed         PATTERN is a text, not a POSIX extended regular expression\n"
    "  -o, --output FILE   write the lines that match there\n"
    "  -h, --help          this text\n";

static void parse(int argc, char **argv, arguments *args)
{
    static const struct option options[] = {{"fixed", no_argument, NULL, 'F'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    *args = (arguments){.kind = LINE_FILTER_REGEX};
    for (int c; (c = getopt_long(argc, argv, "Fo:h", options, NULL)) != -1;) {
        if (c == 'F')
            args->kind = LINE_FILTER_TEXT;
        else if (c == 'o')
            args->output = optarg;
        else {
            fputs(usage, c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
    if (argc - optind < 2) {
        fputs(usage, stderr);
        exit(2);
    }
    args->pattern = argv[optind];
    args->paths = argv + optind + 1;
}

static bool check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "get_if: %s: %s\n", what, err->text);
    return status == TC_OK;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* --- servers --- */

/* Functions that run here read it. */
static bool publish(tc_group *group, const char *text, size_t size)
{
    tc_error err;
    return check(tc_context_publish(tc_group_context(group), GET_IF_TABLE,
                                    (void *)(uintptr_t)text, size, &err),
                 &err, GET_IF_TABLE);
}

/* Waiting at a barrier serves: functions that arrive meanwhile run. */
static bool serve(tc_group *group, const arguments *args)
{
    text_table table;
    tc_error err = {TC_OK, ""};
    if (!text_table_read(args->paths, tc_group_rank(group) - 1, tc_group_size(group) - 1,
                         &table))
        return false;
    const char *text = table.text != NULL ? table.text : "";
    bool ok = publish(group, text, table.size) &&
              check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "begin") &&
              check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "end");
    ok = publish(group, NULL, 0) && ok;
    text_table_free(&table);
    return ok;
}

/* --- the client --- */

/* Writes the matching lines of the text, one behind the other, over its front. */
static bool filter_here(const arguments *args, char *text, size_t *size, uint64_t *lines_out)
{
    line_filter filter;
    line_span line;
    char why[128];
    if (!line_filter_init(&filter, args->kind, args->pattern, strlen(args->pattern), why,
                          sizeof why)) {
        fprintf(stderr, "get_if: %s\n", why);
        return false;
    }
    const char *at = text, *end = text + *size;
    *size = 0;
    *lines_out = 0;
    for (; line_filter_next(&filter, at, end, &line); at = line.end, ++*lines_out) {
        size_t line_bytes = (size_t)(line.end - line.start);
        memmove(text + *size, line.start, line_bytes);
        *size += line_bytes;
    }
    line_filter_fini(&filter);
    return true;
}

static void show(const char *way, const remote_scan_result *result, uint64_t lines)
{
    printf("%-16s %" PRIu64 " lines; %" PRIu64 " calls brought %.3f MB (%.2f %%) in %.3f s",
           way, lines, result->calls, (double)result->answer_bytes / MB,
           100.0 * (double)result->answer_bytes / (double)result->table_bytes,
           (double)result->elapsed_ns / NS_PER_S);
}

/* The same lines by fetching everything, and looking through it here. */
static bool compare(remote_scan_params params, const arguments *args,
                    const remote_scan_result *found)
{
    remote_scan_result all;
    struct timespec start;
    params.kind = LINE_FILTER_ALL;
    params.pattern = "";
    if (!remote_scan(&params, &all))
        return false;
    uint64_t lines, table_lines = all.lines;
    clock_gettime(CLOCK_MONOTONIC, &start);
    bool ok = filter_here(args, all.text, &all.size, &lines);
    if (ok) {
        show("fetch and scan", &all, lines);
        printf(", the scan took %.3f s more\n", seconds_since(&start));
        ok = all.size == found->size && memcmp(all.text, found->text, found->size) == 0;
        printf("%-16s %.3f MB in %" PRIu64 " lines\n%-16s %s\n", "table",
               (double)all.table_bytes / MB, table_lines, "same lines", ok ? "yes" : "NO");
    }
    remote_scan_free(&all);
    return ok;
}

static bool write_lines(const char *path, const remote_scan_result *found)
{
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    bool ok = path == NULL ||
              (file != NULL && fwrite(found->text, 1, found->size, file) == found->size);
    if (file != NULL && fclose(file) != 0)
        ok = false;
    if (!ok)
        perror(path);
    return ok;
}

/* Twice: the first time brings the code. */
static bool ask(tc_group *group, tc_ifunc *get_if, const arguments *args)
{
    const remote_scan_params params = {.group = group,
                                       .get_if = get_if,
                                       .kind = args->kind,
                                       .pattern = args->pattern,
                                       .answer_max = GET_IF_ANSWER_MAX,
                                       .timeout_ns = CALL_TIMEOUT_NS};
    remote_scan_result first, found;
    if (!remote_scan(&params, &first))
        return false;
    show("get_if, first", &first, first.lines);
    printf(", %zu bytes of code with it\n", tc_ifunc_code_size(get_if));
    remote_scan_free(&first);
    if (!remote_scan(&params, &found))
        return false;
    show("get_if", &found, found.lines);
    putchar('\n');
    bool ok = compare(params, args, &found) && write_lines(args->output, &found);
    remote_scan_free(&found);
    return ok;
}

static bool be_client(tc_group *group, const arguments *args)
{
    tc_context *ctx = tc_group_context(group);
    tc_error err = {TC_OK, ""};
    tc_ifunc *get_if;
    if (!check(tc_ifunc_open(ctx, "get_if", &get_if, &err), &err, "get_if"))
        return false;
    bool ok = check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "the servers") &&
              ask(group, get_if, args) &&
              check(tc_group_barrier(group, RUN_TIMEOUT_NS, &err), &err, "the servers' end");
    tc_ifunc_close(get_if);
    return ok;
}

int main(int argc, char **argv)
{
    arguments args;
    tc_context *ctx;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    parse(argc, argv, &args);
    if (!check(tc_context_create(NULL, &ctx, &err), &err, "context"))
        return 1;
    bool ok = check(tc_group_join(ctx, CALL_TIMEOUT_NS, &group, &err), &err, "group");
    if (ok && tc_group_size(group) < 2) {
        fputs(usage, stderr);
        ok = false;
    }
    if (ok)
        ok = tc_group_rank(group) == 0 ? be_client(group, &args) : serve(group, &args);
    tc_context_destroy(ctx);
    return ok ? 0 : 1;
}
