#include "wide_multiply.h"

#include "base/error_text.h"
#include "module_text.h"

#include <stdbool.h>

#define FUNCTION "tc.multiply.128"

static const char intrinsic[] = "llvm.smul.with.overflow.i128";

/* Without overflow the product of the absolute values has at most 127 bits, or is the smallest
 * number's. */
static const char text[] =
    "declare { i128, i1 } @llvm.umul.with.overflow.i128(i128, i128)\n"
    "declare i128 @llvm.abs.i128(i128, i1)\n"
    "define { i128, i1 } @" FUNCTION "(i128 %a, i128 %b) nounwind willreturn {\n"
    "  %size.a = call i128 @llvm.abs.i128(i128 %a, i1 false)\n"
    "  %size.b = call i128 @llvm.abs.i128(i128 %b, i1 false)\n"
    "  %wide = call { i128, i1 } @llvm.umul.with.overflow.i128(i128 %size.a, i128 %size.b)\n"
    "  %size = extractvalue { i128, i1 } %wide, 0\n"
    "  %lost = extractvalue { i128, i1 } %wide, 1\n"
    "  %signs = xor i128 %a, %b\n"
    "  %negative = icmp slt i128 %signs, 0\n"
    "  %opposite = sub i128 0, %size\n"
    "  %product = select i1 %negative, i128 %opposite, i128 %size\n"
    "  %more = zext i1 %negative to i128\n"
    "  %most = add i128 %more, 170141183460469231731687303715884105727\n"
    "  %beyond = icmp ugt i128 %size, %most\n"
    "  %overflow = or i1 %lost, %beyond\n"
    "  %first = insertvalue { i128, i1 } poison, i128 %product, 0\n"
    "  %both = insertvalue { i128, i1 } %first, i1 %overflow, 1\n"
    "  ret { i128, i1 } %both\n"
    "}\n";

/* Copies the caller's features, so that the function is as suitable as any other for
 * own_features.h. */
static void copy_features(LLVMValueRef from, LLVMValueRef to)
{
    static const char name[] = "target-features";
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef features =
        LLVMGetStringAttributeAtIndex(from, index, name, sizeof name - 1);
    if (features != NULL)
        LLVMAddAttributeAtIndex(to, index, features);
}

static LLVMValueRef first_caller(LLVMValueRef function)
{
    LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(function));
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
}

tc_status tci_wide_multiply_define(LLVMModuleRef module, tc_error *err)
{
    LLVMValueRef asked = LLVMGetNamedFunction(module, intrinsic);
    if (asked == NULL || LLVMGetFirstUse(asked) == NULL)
        return TC_OK;
    TC_TRY(tci_module_text_link(module, "function " FUNCTION, text, sizeof text - 1, err));
    LLVMValueRef function = LLVMGetNamedFunction(module, FUNCTION);
    if (function == NULL)
        return tci_error_set(err, TC_E_COMPILE, FUNCTION " is not there");
    LLVMSetLinkage(function, LLVMInternalLinkage);
    copy_features(first_caller(asked), function);
    LLVMReplaceAllUsesWith(asked, function);
    return TC_OK;
}
