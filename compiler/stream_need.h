/* The need of <iostream> since GCC 13: a C++ library that initialises the standard streams.
 *
 * Those headers state it by a line of assembly at file scope, which only names a function of
 * that library. */
#ifndef TCI_STREAM_NEED_H
#define TCI_STREAM_NEED_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Replaces that line by a constructor that reads the function's address, so a target
 * with an older library refuses the code by that name. Other assembly stays. TC_E_COMPILE,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_need_lower(LLVMModuleRef module, tc_error *err);

#endif
