/* Products of 128 bits that are checked for overflow (__builtin_mul_overflow).
 *
 * For those with a sign LLVM calls __muloti4 on some processors, which is in LLVM's own library
 * and in no shared one. */
#ifndef TCI_WIDE_MULTIPLY_H
#define TCI_WIDE_MULTIPLY_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* Where the module has such products, gives it a function that makes them of those without a sign,
 * and has it called. TC_E_COMPILE. */
TC_MUST_CHECK tc_status tci_wide_multiply_define(LLVMModuleRef module, tc_error *err);

#endif
