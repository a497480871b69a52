/* One function, callable: a load plan executed. */
#ifndef TCI_CODE_UNIT_H
#define TCI_CODE_UNIT_H

#include "engine/cache/object_cache.h"
#include "engine/engine.h"
#include "engine/load_plan.h"

#include <tc/load.h>

typedef struct tci_code_unit tci_code_unit;

/* All of it in this thread: places the image, or compiles the bitcode, as the handle's options
 * have it. An image takes some microseconds, bitcode 0.4 ms and more. Any number of threads at
 * once. TC_E_NO_SLICE, TC_E_VERSION, TC_E_UNRESOLVED, TC_E_NO_LIBRARY, TC_E_COMPILE,
 * TC_E_UNSUPPORTED, TC_E_CORRUPT, TC_E_TOO_LARGE, TC_E_NO_MEMORY; err's text begins with the
 * function's name. */
TC_MUST_CHECK tc_status tci_code_unit_load(tci_engine_handle *handle,
                                           const tci_load_source *source,
                                           tci_code_unit **unit_out, tc_error *err);

/* The same by a plan that was made before. What is to be stored is left to the caller, see
 * tci_code_unit_take_pending_write. */
TC_MUST_CHECK tc_status tci_code_unit_execute(tci_engine_handle *handle,
                                              const tci_load_source *source,
                                              const tci_load_plan *plan,
                                              tci_code_unit **unit_out, tc_error *err);

/* The same if it takes microseconds: an image, or while the compiler runs a small object that
 * was stored. TC_E_AGAIN if not; then the plan is what is left to do. */
TC_MUST_CHECK tc_status tci_code_unit_execute_now(tci_engine_handle *handle,
                                                  const tci_load_source *source,
                                                  tci_load_plan *plan, tci_code_unit **unit_out,
                                                  tc_error *err);

/* By a plan of tci_load_plan_tier_up: code for what `unit` is, which stays as it is. */
TC_MUST_CHECK tc_status tci_code_unit_tier_up(tci_engine_handle *handle,
                                              const tci_load_source *source,
                                              const tci_load_plan *plan,
                                              const tci_code_unit *unit,
                                              tci_code_unit **optimised_out, tc_error *err);
/* Moves that code into `unit` and frees `optimised`. The unit's entries have changed and its
 * old code is gone, unless its variables live on: no call of the old entries may be running. */
void tci_code_unit_replace(tci_engine_handle *handle, tci_code_unit *unit,
                           tci_code_unit *optimised);

/* Frees code and data; no call of the entries may be running. NULL is allowed. */
void tci_code_unit_unload(tci_engine_handle *handle, tci_code_unit *unit);

/* The compiled object, to be stored once nobody waits; NULL: nothing to store. */
tci_object_write *tci_code_unit_take_pending_write(tci_code_unit *unit);

/* Adds to the report how long the load waited for a thread. */
void tci_code_unit_note_wait(tci_code_unit *unit, uint64_t waited_ns);

/* Valid while the unit is, and until optimised code came. */
const tci_entries *tci_code_unit_entries(const tci_code_unit *unit);

/* Whether compiling it again for this CPU could make it faster. */
bool tci_code_unit_may_tier_up(const tci_code_unit *unit);
/* Whether the function has variables of its own that it may write, which would be lost with its
 * code. */
bool tci_code_unit_has_state(const tci_code_unit *unit);
/* Bytes that code and data take. */
size_t tci_code_unit_memory(const tci_code_unit *unit);
/* What it is bound to; valid until it is bound anew. */
const tci_symbols *tci_code_unit_symbols(const tci_code_unit *unit);

/* How it was loaded, without the parts that only its caller knows. */
void tci_code_unit_report(const tci_code_unit *unit, tc_load_report *report_out);

#endif
