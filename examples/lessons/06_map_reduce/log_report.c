/* Several processes have a part of a log each, LOG.0, LOG.1 and so on; rank 0 summarises it.
 *     tc-run -n 4 ./log_report LOG */
#include "log_summary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/group.h>
#include <tc/tc.h>

extern const tc_embedded log_map_tca;

static tc_status fail(tc_error *err, tc_status status, const char *text)
{
    snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

/* The text of PATH.RANK, to be freed; NULL: it cannot be read. */
static char *read_part(const char *path, uint32_t rank)
{
    char name[4096], *text = NULL;
    size_t size = 0;
    FILE *file;
    snprintf(name, sizeof name, "%s.%u", path, rank);
    file = fopen(name, "r");
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

/* Map at every rank, reduce here. */
static tc_status report(tc_group *group, tc_error *err)
{
    uint32_t ranks = tc_group_size(group);
    log_summary *parts = calloc(ranks, sizeof *parts), sum = {0};
    tc_group_call_params params = {.results = parts, .result_capacity = sizeof *parts};
    tc_ifunc *map;
    tc_status status = parts != NULL ? TC_OK : TC_E_NO_MEMORY;
    if (status == TC_OK)
        status = tc_ifunc_open_embedded(tc_group_context(group), &log_map_tca, &map, err);
    if (status == TC_OK)
        status = tc_group_call_all(group, map, NULL, 0, &params, err);
    for (uint32_t rank = 0; status == TC_OK && rank < ranks; rank++)
        log_summary_add(&sum, &parts[rank]);
    if (status == TC_OK)
        printf("%u lines, %u failed; slowest: %s with %u ms\n", sum.lines, sum.failed,
               sum.slowest, sum.slowest_ms);
    free(parts);
    return status;
}

static tc_status run(tc_group *group, char *log, tc_error *err)
{
    tc_context *ctx = tc_group_context(group);
    tc_status status = tc_context_publish(ctx, "log", log, strlen(log) + 1, err);
    if (status == TC_OK) /* all have their part */
        status = tc_group_barrier(group, TC_SECONDS(60), err);
    if (status == TC_OK && tc_group_rank(group) == 0)
        status = report(group, err);
    if (status == TC_OK) /* the others serve here, until rank 0 has its report */
        status = tc_group_barrier(group, TC_FOREVER, err);
    return status;
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    tc_status status;
    char *log = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: tc-run -n RANKS log_report LOG\n");
        return 2;
    }
    if ((status = tc_context_create(NULL, &ctx, &err)) == TC_OK &&
        (status = tc_group_join(ctx, TC_SECONDS(30), &group, &err)) == TC_OK) {
        log = read_part(argv[1], tc_group_rank(group));
        if (log != NULL)
            status = run(group, log, &err);
        else
            status = fail(&err, TC_E_IO, "this rank's part of the log cannot be read");
    }
    if (status != TC_OK)
        fprintf(stderr, "log_report: %s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(ctx);
    free(log);
    return status != TC_OK;
}
