/* Uses the library hearth, and has a constructor of its own that does. */
#include <stddef.h>
#include <stdlib.h>
#include <tc/entry.h>

int hearth_warmth(void);

static int before;
static _Thread_local int calls = 100;

__attribute__((constructor)) static void construct(void)
{
    before = hearth_warmth();
}

void warmed_main(void *payload, size_t size, void *target_args)
{
    const int answer[] = {before, hearth_warmth(), ++calls};
    (void)payload, (void)size, (void)target_args;
    (void)tc_reply(answer, sizeof answer);
}
