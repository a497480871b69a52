/* Writes every payload to the target's standard output, as "bytes:payload" and a newline, so
 * that a test can read the arrived payloads, their order and their ends. */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static void put(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, size);
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}

void transcript_main(void *payload, size_t size, void *target_args)
{
    char head[24];
    (void)target_args;
    put(head, (size_t)snprintf(head, sizeof head, "%zu:", size));
    put(payload, size);
    put("\n", 1);
}
