/* VERSION 1 and 2 are good ones, of which the second takes over the first one's count; 3 has an
 * init that fails, 4 lacks a function, 5 needs a missing symbol; 7 waits in its init for as
 * long as the file SHELF_GATE is there, and makes one beside it when it does. Each adds its
 * version to the file SHELF_ENDED when it ends: loaders' threads read the environment then, so
 * it must not be written. */
#include "shelf.h"

#include <stdio.h>
#include <stdlib.h>
#include <tc/library.h>
#include <unistd.h>

uint64_t shelf_count, shelf_inits;

#if VERSION != 4
uint64_t shelf_put(uint64_t n)
{
    return shelf_count += n;
}
#endif

uint64_t shelf_version(void)
{
    return VERSION;
}

#if VERSION == 5
extern int shelf_nobody_has(void);
int shelf_needs(void)
{
    return shelf_nobody_has();
}
#endif

#if VERSION == 7
static void wait_at_gate(void)
{
    const char *gate = getenv("SHELF_GATE");
    char inside[256];
    if (gate == NULL || access(gate, F_OK) != 0)
        return;
    (void)snprintf(inside, sizeof inside, "%s.inside", gate);
    FILE *file = fopen(inside, "w");
    if (file != NULL)
        (void)fclose(file);
    while (access(gate, F_OK) == 0)
        (void)usleep(1000);
}
#endif

int shelf_init(void)
{
    const uint64_t *older = tc_library_older("shelf_count");
    shelf_inits++;
#if VERSION == 7
    wait_at_gate();
#endif
    if (older != NULL)
        shelf_count = *older;
    return VERSION == 3 ? 7 : 0;
}

void shelf_fini(void)
{
    const char *ended = getenv("SHELF_ENDED");
    FILE *file = ended != NULL ? fopen(ended, "a") : NULL;
    if (file == NULL)
        return;
    (void)fprintf(file, "%d", VERSION);
    (void)fclose(file);
}
