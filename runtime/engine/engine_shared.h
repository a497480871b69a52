/* The compiler that all handles of the process share: LLVM's own state is one per process, and
 * a second JIT would only cost memory. */
#ifndef TCI_ENGINE_SHARED_H
#define TCI_ENGINE_SHARED_H

#include "engine/child/compiler_pool.h"

typedef struct tci_engine_shared {
    const tci_engine_ops *ops;
    tci_engine *engine;
    tci_compiler_pool *compilers;
} tci_engine_shared;

/* The next compile, which determines the process to start beside the engine itself. */
typedef enum tci_next_compile {
    TCI_NEXT_NONE,
    TCI_NEXT_SOON,
    TCI_NEXT_BACKGROUND
} tci_next_compile;

/* Sets the options of the compilers; before the first start, and then again after a stop. */
void tci_engine_shared_set_up(const tci_compiler_opts *opts);

/* Finds and loads the module and starts the engine, once. Any thread that has a handle; takes
 * the lock, under which loading LLVM takes some 20 ms. Statuses of tci_engine_start. */
TC_MUST_CHECK tc_status tci_engine_shared_start(const char *engine_path, tci_next_compile next,
                                                tc_error *err);

/* Returns the started parts, or NULL before that. Any thread that has a handle; takes no lock.
 * The value and all that it points to stay until the last handle is released. Units and jobs
 * end before that, so they may use it without asking again. */
const tci_engine_shared *tci_engine_shared_running(void);

/* Returns whether this library was built with LLVM. If not, the module is not searched. */
bool tci_engine_shared_is_built(void);
/* See tci_engine_llvm_version. */
const char *tci_engine_shared_llvm(const char *engine_path);

/* Ends the started parts; the module stays loaded. No unit and no job may be left. */
void tci_engine_shared_stop(void);

#endif
