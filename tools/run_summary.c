#include "run_summary.h"

#include "tool_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_process(const run_process *p, uint32_t rank, FILE *out)
{
    fprintf(out, "%s{\"rank\": %u, \"pid\": ", rank > 0 ? ", " : "", rank);
    if (p->pid == 0) {
        fputs("null, \"status\": null, \"signal\": null, \"how\": \"was not started\"}", out);
        return;
    }
    fprintf(out, "%d, \"status\": %d, \"signal\": ", (int)p->pid, p->status);
    if (p->by_signal)
        fprintf(out, "%d, ", p->status - 128);
    else
        fputs("null, ", out);
    tool_json_member(out, "how", p->how);
    fputc('}', out);
}

int run_summary_write(const char *path, const run_job *job, const char *program, int status)
{
    int to_stdout = strcmp(path, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(path, "we");
    int failed = out == NULL;
    if (!failed) {
        fputc('{', out);
        tool_json_member(out, "program", program);
        fprintf(out, ", \"status\": %d, \"processes\": [", status);
        for (uint32_t rank = 0; rank < job->size; rank++)
            print_process(&job->processes[rank], rank, out);
        fputs("]}\n", out);
        failed = ferror(out) != 0;
        failed |= (to_stdout ? fflush(out) : fclose(out)) != 0;
    }
    if (failed)
        fprintf(stderr, "tc-run: --json %s: %s\n", path, strerror(errno));
    return !failed;
}
