#include "jump_origin.h"

/* A search in an interpreter with 256 instructions that jumps from the end of each examines a
 * few thousand values. */
enum { VALUES_MAX = 20000, DEPTH_MAX = 16 };

typedef struct search {
    unsigned left; /* values that may still be examined */
} search;

static bool is_constant(search *s, LLVMValueRef value, unsigned depth);

/* Returns whether the address is an element of a constant table. Its index may come from
 * anywhere. */
static bool is_constant_table(LLVMValueRef address)
{
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        if (LLVMIsAGlobalVariable(address) != NULL)
            return !LLVMIsDeclaration(address) && LLVMIsGlobalConstant(address);
        bool is_element = LLVMIsAGetElementPtrInst(address) != NULL ||
                          (LLVMIsAConstantExpr(address) != NULL &&
                           LLVMGetConstOpcode(address) == LLVMGetElementPtr);
        if (!is_element)
            return false;
        address = LLVMGetOperand(address, 0);
    }
    return false;
}

static bool are_constant(search *s, LLVMValueRef value, unsigned first, unsigned depth)
{
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    for (unsigned i = first; i < count; i++) {
        if (!is_constant(s, LLVMGetOperand(value, i), depth))
            return false;
    }
    return true;
}

static bool is_constant(search *s, LLVMValueRef value, unsigned depth)
{
    if (LLVMIsAConstant(value) != NULL)
        return true;
    if (s->left == 0 || depth == 0 || LLVMIsAInstruction(value) == NULL)
        return false;
    s->left--;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad:
        return is_constant_table(LLVMGetOperand(value, 0));
    case LLVMSelect:
        return are_constant(s, value, 1, depth - 1);
    case LLVMPHI:
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMTrunc:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMBitCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
        return are_constant(s, value, 0, depth - 1);
    default:
        return false;
    }
}

bool tci_jump_origin_is_constant(LLVMModuleRef module)
{
    search s = {.left = VALUES_MAX};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
            bool jumps = last != NULL && LLVMGetInstructionOpcode(last) == LLVMIndirectBr;
            if (jumps && !is_constant(&s, LLVMGetOperand(last, 0), DEPTH_MAX))
                return false;
        }
    }
    return true;
}
