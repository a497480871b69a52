/* The callable code of one function, made by executing a load plan. */
#ifndef TCI_CODE_UNIT_H
#define TCI_CODE_UNIT_H

#include "engine/cache/object_cache.h"
#include "engine/engine.h"
#include "engine/load_plan.h"

#include <tc/load.h>

typedef struct tci_code_unit tci_code_unit;

/* Loads the function in the caller's thread: the image, or the bitcode by compiling it, or the
 * shared object, as the handle's options state. An image takes some microseconds, bitcode 0.4
 * ms and more. Any number of threads may call this at once. TC_E_NO_SLICE, TC_E_VERSION,
 * TC_E_UNRESOLVED, TC_E_NO_LIBRARY, TC_E_COMPILE, TC_E_UNSUPPORTED, TC_E_CORRUPT,
 * TC_E_TOO_LARGE, TC_E_NO_MEMORY; err's text begins with the function's name. */
TC_MUST_CHECK tc_status tci_code_unit_load(tci_engine_handle *handle,
                                           const tci_load_source *source,
                                           tci_code_unit **unit_out, tc_error *err);

/* Does the same by an existing plan. The caller stores the compiled object: see
 * tci_code_unit_take_pending_write. */
TC_MUST_CHECK tc_status tci_code_unit_execute(tci_engine_handle *handle,
                                              const tci_load_source *source,
                                              const tci_load_plan *plan,
                                              tci_code_unit **unit_out, tc_error *err);

/* Does the same if it takes microseconds: for an image, or, while the compiler runs, for a
 * small stored object. Otherwise returns TC_E_AGAIN, and the plan then states the remaining
 * work. */
TC_MUST_CHECK tc_status tci_code_unit_execute_now(tci_engine_handle *handle,
                                                  const tci_load_source *source,
                                                  tci_load_plan *plan, tci_code_unit **unit_out,
                                                  tc_error *err);

/* Makes optimised code for `unit`, which stays unchanged, by a plan of
 * tci_load_plan_tier_up. */
TC_MUST_CHECK tc_status tci_code_unit_tier_up(tci_engine_handle *handle,
                                              const tci_load_source *source,
                                              const tci_load_plan *plan,
                                              const tci_code_unit *unit,
                                              tci_code_unit **optimised_out, tc_error *err);
/* Moves the code of `optimised` into `unit`, and the old code, unless its variables stay in
 * use, into `optimised`. The unit's entries change. The caller unloads `optimised` when no call
 * of the old entries is running or waits. */
void tci_code_unit_replace(tci_code_unit *unit, tci_code_unit *optimised);

/* Frees code and data; no call of the entries may be running. NULL is allowed. */
void tci_code_unit_unload(tci_engine_handle *handle, tci_code_unit *unit);

/* Returns the compiled object, to be stored when no caller waits; NULL: nothing to store. */
tci_object_write *tci_code_unit_take_pending_write(tci_code_unit *unit);

/* Adds to the report how long the load waited for a thread. */
void tci_code_unit_note_wait(tci_code_unit *unit, uint64_t waited_ns);

/* Valid while the unit is, until optimised code replaces it. */
const tci_entries *tci_code_unit_entries(const tci_code_unit *unit);

/* Returns whether compiling it again for this CPU could make it faster. */
bool tci_code_unit_may_tier_up(const tci_code_unit *unit);
/* Returns whether the function has state that would be lost with its code: variables that it
 * may write, or constructors. */
bool tci_code_unit_has_state(const tci_code_unit *unit);
/* Bytes that code and data take. */
size_t tci_code_unit_memory(const tci_code_unit *unit);
/* Returns the symbols that it is bound to; valid until it is bound again. */
const tci_symbols *tci_code_unit_symbols(const tci_code_unit *unit);

/* Reports how it was loaded, without the parts that only its caller knows. */
void tci_code_unit_report(const tci_code_unit *unit, tc_load_report *report_out);

#endif
