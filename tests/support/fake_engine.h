/* Functions without code: an engine that returns, for the name of an archive, the test's
 * setting. A program that is linked with this has it instead of runtime/engine. */
#ifndef TC_TEST_FAKE_ENGINE_H
#define TC_TEST_FAKE_ENGINE_H

#include "fake_archive.h"

#include "engine/loading.h"
#include "ifunc/registry.h"

/* The state of one function. All but the name may change while it is used. */
typedef struct fake_code {
    char name[32];
    tci_entries entries;
    tc_status fails; /* to load, with this */
    bool is_slow;    /* a thread loads it: until fake_engine_end_loads */
    bool has_state;  /* variables of its own */
    bool may_improve;
    bool is_image;      /* that was shipped */
    tci_entries better; /* the result */
    size_t memory;
    unsigned loaded; /* units of it that are there */
} fake_code;

/* For `loading` of a registry. */
extern const tci_loading_ops fake_engine_table;

/* The body of a function that does nothing. */
void fake_nothing(void *payload, size_t size, void *target_args);

/* The code of that name, made when it is first asked for. */
fake_code *fake_code_of(const char *name);

/* Threads have done their work. */
void fake_engine_end_loads(void);
/* Forgets all codes; the engine is to be unused by then. */
void fake_engine_reset(void);

/* The function that the next injected code calls, or its error. */
extern void (*fake_injected_main)(void *payload, size_t payload_size, void *target_args);
extern tc_status fake_injected_status;
extern unsigned fake_injected_ahead; /* how often code was written before it came */

/* That archive in a registry, held once. */
tc_ifunc *fake_function(tci_registry *registry, const char *name, unsigned entries,
                        size_t bytes);

#endif
