#include "program_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <tc/advanced.h>

void must(tc_status status, const tc_error *error, const char *what)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "%s: %s: %s: %s\n", program_invocation_short_name, what,
            tc_status_name(status), error->text);
    /* Not by exit(): a thread of UCX's still runs, and UCX would take its lock from it
     * there. */
    fflush(stdout);
    _exit(1);
}

void say(const char *word, uint64_t number)
{
    printf("%s %" PRIu64 "\n", word, number);
    fflush(stdout);
}

void say_address(tc_context *ctx)
{
    size_t size;
    const unsigned char *address = tc_context_address(ctx, &size);
    printf("address ");
    for (size_t i = 0; i < size; i++)
        printf("%02x", address[i]);
    putchar('\n');
    fflush(stdout);
}
