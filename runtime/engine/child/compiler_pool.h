/* The compiler processes of this process: as many as compile at once, and those that did wait
 * for more. */
#ifndef TCI_COMPILER_POOL_H
#define TCI_COMPILER_POOL_H

#include "engine/child/compiler_process.h"

typedef struct tci_compiler_pool tci_compiler_pool;

/* Starts nothing. opts->background means nothing. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_pool_create(const tci_compiler_opts *opts,
                                                 tci_compiler_pool **pool_out, tc_error *err);
/* After the last compile. NULL is allowed. */
void tci_compiler_pool_destroy(tci_compiler_pool *pool);

/* Starts a process now, so that the next function waits less for it. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_pool_prepare(tci_compiler_pool *pool, bool background,
                                                  tc_error *err);

/* Starts as many as wait at most, of either priority. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_pool_fill(tci_compiler_pool *pool, tc_error *err);

/* As tci_compiler_compile, from any thread; `background`: nobody waits for this one. */
TC_MUST_CHECK tc_status tci_compiler_pool_compile(tci_compiler_pool *pool, tci_engine *engine,
                                                  const tci_engine_code *code, bool background,
                                                  tci_object *object_out, tc_error *err);

#endif
