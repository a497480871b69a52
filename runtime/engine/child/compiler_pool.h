/* The compiler processes of this process: those that compile now, and idle ones that are kept
 * for more. */
#ifndef TCI_COMPILER_POOL_H
#define TCI_COMPILER_POOL_H

#include "engine/child/compiler_process.h"

typedef struct tci_compiler_pool tci_compiler_pool;

/* Starts no process. opts->background is ignored. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_pool_create(const tci_compiler_opts *opts,
                                                 tci_compiler_pool **pool_out, tc_error *err);
/* Called after the last compile. NULL is allowed. */
void tci_compiler_pool_destroy(tci_compiler_pool *pool);

/* Starts a process now, so that the next function waits less for it. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_pool_prepare(tci_compiler_pool *pool, bool background,
                                                  tc_error *err);

/* Starts as many idle processes as are kept, of either priority. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_pool_fill(tci_compiler_pool *pool, tc_error *err);

/* As tci_compiler_compile, from any thread; `background`: no caller waits for this one. */
TC_MUST_CHECK tc_status tci_compiler_pool_compile(tci_compiler_pool *pool, tci_engine *engine,
                                                  const tci_engine_code *code, bool background,
                                                  tci_object *object_out, tc_error *err);

#endif
