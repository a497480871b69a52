/* The least that has a constructor, variables and an end: for better code, which takes long to
 * make of more. In the environment's LIVELY, as lively.cpp has it: K constructor, k
 * destructor. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <tc/entry.h>

static int calls;
static const int *last;

static void note(char letter)
{
    const char *before = getenv("LIVELY");
    char steps[256];
    (void)snprintf(steps, sizeof steps, "%s%c", before != NULL ? before : "", letter);
    (void)setenv("LIVELY", steps, 1);
}

static void at_exit(void)
{
    note('k');
}

__attribute__((constructor)) static void construct(void)
{
    note('K');
    last = &calls;
    (void)atexit(at_exit);
}

void kindled_main(void *payload, size_t size, void *target_args)
{
    const int answer = last == &calls ? ++calls : -1;
    (void)payload, (void)size, (void)target_args;
    (void)tc_reply(&answer, sizeof answer);
}
