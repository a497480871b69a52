/* The smallest function: prints hello where it runs. */
#include <stdio.h>
#include <tc/entry.h>

void hello_main(void *payload, size_t payload_size, void *target_args)
{
    static unsigned calls; /* lives in the process that runs it, from message to message */
    (void)target_args;
    printf("hello, %.*s (call %u here)\n", (int)payload_size, (const char *)payload, ++calls);
    fflush(stdout);
}
