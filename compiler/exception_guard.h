/* Stops an exception at the end of a C++ entry: the entry's caller is C, and could only end the
 * process. */
#ifndef TCI_EXCEPTION_GUARD_H
#define TCI_EXCEPTION_GUARD_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Puts a function that catches everything in front of each entry of `name` that an exception
 * could leave: in code that uses C++'s runtime library, each entry that no pass has found never
 * to throw. NAME_main, or NAME_task of TC_THREADED, then fails by tc_self_fail,
 * NAME_payload_init and a library's NAME_init return -1, and NAME_payload_get_max_size the
 * largest number, which ends the send. All other code is left as it is: C has no exceptions,
 * and C++ that needs nothing of its library throws none.
 *
 *   noinline  the entry stays a function of its own, for debuggers
 *
 *   TC_E_COMPILE  LLVM rejects the added code */
TC_MUST_CHECK tc_status tci_exception_guard_add(LLVMModuleRef module, const char *name,
                                                bool noinline, tc_error *err);

#endif
