/* Prints a note, and counts it for the program that it has come to. */
#include <stdio.h>
#include <tc/entry.h>

void note_main(void *payload, size_t payload_size, void *target_args)
{
    unsigned *notes = target_args;
    if (notes == NULL)
        return; /* this is no event_loop */
    printf("note %u: %.*s\n", ++*notes, (int)payload_size, (const char *)payload);
    fflush(stdout);
}
