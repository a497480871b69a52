#include "sim_function.h"

#include "base/error_text.h"

#include <tc/sim.h>

#include <string.h>

#define FUNCTIONS_MAX 256u
#define NAME_BYTES 64u

typedef struct binding {
    char name[NAME_BYTES];
    sim_function *main;
} binding;

static binding bindings[FUNCTIONS_MAX];
static size_t count;

static binding *find(const char *name)
{
    for (binding *b = bindings; b < bindings + count; b++) {
        if (strcmp(b->name, name) == 0)
            return b;
    }
    return NULL;
}

tc_status tc_sim_function(const char *name,
                          void (*main)(void *payload, size_t size, void *target_args),
                          tc_error *err)
{
    binding *b = find(name);
    if (strlen(name) >= NAME_BYTES || (b == NULL && count == FUNCTIONS_MAX))
        return tci_error_set(err, TC_E_INVALID,
                             "tc_sim_function '%.80s': at most %u functions, with names of at "
                             "most %u bytes",
                             name, FUNCTIONS_MAX, NAME_BYTES - 1);
    if (b == NULL)
        b = &bindings[count++];
    (void)strcpy(b->name, name);
    b->main = main;
    return TC_OK;
}

sim_function *sim_function_find(const char *name)
{
    const binding *b = find(name);
    return b != NULL ? b->main : NULL;
}
