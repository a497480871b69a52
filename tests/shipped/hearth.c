/* A library with constructors and destructors; VERSION selects its letters. In the
 * environment's LIVELY, as lively.cpp has it:
 *
 *     1C 1I  constructor and init of the first version
 *     1F 1D  its fini and destructor
 *     1X     atexit */
#include <stdio.h>
#include <stdlib.h>

static int warmth;

static void note(char letter)
{
    const char *before = getenv("LIVELY");
    char steps[256];
    (void)snprintf(steps, sizeof steps, "%s%d%c", before != NULL ? before : "", VERSION,
                   letter);
    (void)setenv("LIVELY", steps, 1);
}

static void at_exit(void)
{
    note('X');
}

__attribute__((constructor)) static void construct(void)
{
    note('C');
    warmth = 20 + VERSION;
    (void)atexit(at_exit);
}

__attribute__((destructor)) static void destruct(void)
{
    note('D');
}

int hearth_init(void)
{
    note('I');
    return 0;
}

void hearth_fini(void)
{
    note('F');
}

int hearth_warmth(void)
{
    return warmth;
}
