/* A node that holds a column of numbers and knows nothing of Python: it publishes `column`,
 * listens on loopback, prints the port, and runs received functions until a signal comes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <tc/tc.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* In huge pages, where the kernel gives some: a pass over all of it is bound by memory, and
 * finds fewer pages in the processor's tables. */
static double *allocate(size_t bytes)
{
    size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, whole);
    if (memory != NULL)
        (void)madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

/* The same numbers for the same count: between 0 and 1, spread evenly. */
static double *make_column(size_t count)
{
    double *column = allocate(count * sizeof *column);
    uint64_t seed = 1;
    for (size_t i = 0; column != NULL && i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        column[i] = (double)(seed >> 11) / 9007199254740992.0;
    }
    return column;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000000;
    double *column = make_column(count);
    tc_context *ctx = NULL;
    tc_listener *listener = NULL;
    tc_error err = {.text = "no memory for the column"};
    int failed =
        column == NULL || tc_context_create(NULL, &ctx, &err) != TC_OK ||
        tc_context_publish(ctx, "column", column, count * sizeof *column, &err) != TC_OK ||
        tc_listener_open(ctx, "127.0.0.1:0", &listener, &err) != TC_OK;
    if (failed) {
        fprintf(stderr, "column_node: %s\n", err.text);
    } else {
        printf("%u\n", tc_listener_port(listener));
        fflush(stdout);
        failed = tc_serve_until_signal(ctx, NULL) != TC_OK;
    }
    tc_context_destroy(ctx);
    free(column);
    return failed;
}
