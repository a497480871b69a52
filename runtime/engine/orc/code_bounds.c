#include "code_bounds.h"

#include "archive.h"

#include <stdio.h>
#include <string.h>

/* Deeper types count as too many parts. */
enum { TYPE_DEPTH_MAX = 256, LAYOUT_MAX = 512 };

typedef struct inspection {
    LLVMTargetDataRef layout;
    LLVMValueRef where;
    tci_code_excess *excess;
} inspection;

/* Describes the excess, and is true. */
#define EXCEEDS(in, ...)                                                                       \
    ((void)snprintf((in)->excess->text, sizeof(in)->excess->text, __VA_ARGS__),                \
     (in)->excess->where = (in)->where, true)

/* --- values ------------------------------------------------------------------------------ */

/* Counts the parts of a type, with 1 for each structure and array itself. Beyond the bound the
 * result is any number beyond it. */
static uint64_t count_parts(LLVMTypeRef type, unsigned depth)
{
    const uint64_t beyond = TCI_VALUE_PARTS_MAX + 1;
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t sum = 1;
    if (depth > TYPE_DEPTH_MAX)
        return beyond;
    if (kind == LLVMArrayTypeKind) {
        const uint64_t each = count_parts(LLVMGetElementType(type), depth + 1);
        const uint64_t length = LLVMGetArrayLength2(type);
        return length > TCI_VALUE_PARTS_MAX / each ? beyond : each * length + 1;
    }
    if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && sum < beyond; i++)
            sum += count_parts(LLVMStructGetTypeAtIndex(type, i), depth + 1);
    }
    return sum < beyond ? sum : beyond;
}

/* Returns whether an integer type, or that of a vector's elements, is too wide. */
static bool is_too_wide(const inspection *in, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind) {
        if (LLVMGetVectorSize(type) > TCI_VECTOR_ELEMENTS_MAX)
            return EXCEEDS(in, "code computes with vectors of %u elements, expected at most %u",
                           LLVMGetVectorSize(type), TCI_VECTOR_ELEMENTS_MAX);
        type = LLVMGetElementType(type);
        kind = LLVMGetTypeKind(type);
    }
    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > TCI_INTEGER_BITS_MAX)
        return EXCEEDS(in, "code computes with integers of %u bits, expected at most %u",
                       LLVMGetIntTypeWidth(type), TCI_INTEGER_BITS_MAX);
    return false;
}

/* The same for the parts of a type that has few. */
static bool has_wide_part(const inspection *in, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind)
        return has_wide_part(in, LLVMGetElementType(type));
    if (kind != LLVMStructTypeKind)
        return is_too_wide(in, type);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
        if (has_wide_part(in, LLVMStructGetTypeAtIndex(type, i)))
            return true;
    }
    return false;
}

/* Returns whether a value that code holds in registers, or treats so, is too large. */
static bool is_value_too_large(const inspection *in, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind)
        return is_too_wide(in, type);
    if (count_parts(type, 0) > TCI_VALUE_PARTS_MAX)
        return EXCEEDS(in,
                       "code handles an array or structure of more than %u parts as one value, "
                       "expected that it stays in memory",
                       TCI_VALUE_PARTS_MAX);
    return has_wide_part(in, type);
}

/* --- functions --------------------------------------------------------------------------- */

static bool is_inline_copy_too_large(const inspection *in, LLVMValueRef call)
{
    static const char *const names[] = {"llvm.memcpy.inline.", "llvm.memset.inline."};
    size_t size = 0;
    LLVMValueRef called = LLVMGetCalledValue(call);
    if (LLVMIsAFunction(called) == NULL || LLVMGetIntrinsicID(called) == 0)
        return false;
    const char *name = LLVMGetValueName2(called, &size);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        LLVMValueRef bytes = LLVMGetOperand(call, 2);
        if (size > strlen(names[i]) && memcmp(name, names[i], strlen(names[i])) == 0 &&
            LLVMIsAConstantInt(bytes) != NULL &&
            LLVMConstIntGetZExtValue(bytes) > TCI_INLINE_BYTES_MAX)
            return EXCEEDS(in, "%.18s of %llu bytes, expected at most %llu", name,
                           LLVMConstIntGetZExtValue(bytes), TCI_INLINE_BYTES_MAX);
    }
    return false;
}

static bool is_instruction_too_large(inspection *in, LLVMValueRef instruction)
{
    in->where = instruction;
    if (is_value_too_large(in, LLVMTypeOf(instruction)))
        return true;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        if (is_value_too_large(in, LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i))))
            return true;
    }
    return LLVMIsACallInst(instruction) != NULL && is_inline_copy_too_large(in, instruction);
}

static bool is_function_too_large(inspection *in, LLVMValueRef function)
{
    in->where = function;
    if (LLVMIsDeclaration(function))
        return false;
    if (is_value_too_large(in, LLVMGetReturnType(LLVMGlobalGetValueType(function))))
        return true;
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        if (is_value_too_large(in, LLVMTypeOf(LLVMGetParam(function, i))))
            return true;
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            if (is_instruction_too_large(in, i))
                return true;
        }
    }
    return false;
}

/* --- variables --------------------------------------------------------------------------- */

/* Bounds the product, since LLVM truncates it to 64 bits. */
static bool is_array_too_large(inspection *in, LLVMTypeRef type)
{
    uint64_t count = 1;
    for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind; type = LLVMGetElementType(type)) {
        const uint64_t length = LLVMGetArrayLength2(type);
        if (length > 0 && count > TCI_ARRAY_BYTES_MAX / length)
            return EXCEEDS(in, "a variable of more than %llu elements, expected less",
                           TCI_ARRAY_BYTES_MAX);
        count *= length;
    }
    return false;
}

/* Bounds the values of variables: LLVM writes them out, however few bytes of bitcode state
 * them. */
static bool are_values_too_large(inspection *in, LLVMValueRef variable, uint64_t *sum)
{
    const uint64_t max = TCI_ARCHIVE_SLICE_BYTES_MAX;
    LLVMValueRef value = LLVMGetInitializer(variable);
    in->where = variable;
    in->excess->status = TC_E_TOO_LARGE;
    if (is_array_too_large(in, LLVMGlobalGetValueType(variable)))
        return true;
    if (value == NULL || LLVMIsNull(value))
        return false;
    const uint64_t size = LLVMABISizeOfType(in->layout, LLVMTypeOf(value));
    if (size > max - *sum)
        return EXCEEDS(in, "variables with values of more than %llu bytes together",
                       (unsigned long long)max);
    *sum += size;
    return false;
}

bool tci_code_bounds_exceeded(LLVMModuleRef module, tci_code_excess *excess_out)
{
    uint64_t sum = 0;
    inspection in = {.layout = LLVMGetModuleDataLayout(module), .excess = excess_out};
    excess_out->status = TC_E_UNSUPPORTED;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (is_function_too_large(&in, f))
            return true;
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (are_values_too_large(&in, v, &sum))
            return true;
    }
    return false;
}

/* --- alignments -------------------------------------------------------------------------- */

/* Returns whether LLVM knows that a bit of a function's address is 0 that no smaller alignment
 * determines. The layout set here states that addresses of functions depend on their
 * alignments. */
static bool has_greatest_alignment(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef address = LLVMInt64TypeInContext(context);
    char own[LAYOUT_MAX], layout[LAYOUT_MAX + 8];
    if (strlen(LLVMGetDataLayoutStr(module)) >= sizeof own)
        return false;
    (void)snprintf(own, sizeof own, "%s", LLVMGetDataLayoutStr(module));
    (void)snprintf(layout, sizeof layout, "%s%sFn8", own, own[0] != '\0' ? "-" : "");
    LLVMSetDataLayout(module, layout);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef bit = LLVMBuildAnd(builder, LLVMConstPtrToInt(function, address),
                                    LLVMConstInt(address, 1ull << 31, false), "");
    const bool is_known = LLVMIsAInstruction(bit) == NULL;
    if (!is_known)
        LLVMDeleteInstruction(bit);
    LLVMDisposeBuilder(builder);
    LLVMSetDataLayout(module, own);
    return is_known;
}

uint64_t tci_code_bounds_alignment(LLVMModuleRef module, LLVMValueRef value)
{
    const uint64_t greatest = 1ull << 32;
    const unsigned alignment = LLVMGetAlignment(value);
    if (alignment != 0 || LLVMIsDeclaration(value))
        return alignment;
    if (LLVMIsAFunction(value) != NULL)
        return has_greatest_alignment(module, value) ? greatest : 0;
    /* The preferred alignment of a variable is 0 only then. */
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    return LLVMPreferredAlignmentOfGlobal(layout, value) == 0 ? greatest : 0;
}
