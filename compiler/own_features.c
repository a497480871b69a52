#include "own_features.h"

#include "base/error_text.h"
#include "source_place.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char attribute[] = "target-features";

static const char *features_of(LLVMValueRef function, unsigned *size_out)
{
    LLVMAttributeRef found =
        LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                      attribute, (unsigned)strlen(attribute));
    *size_out = 0;
    return found != NULL ? LLVMGetStringAttributeValue(found, size_out) : NULL;
}

static void remove_features(LLVMValueRef function)
{
    LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                     attribute, (unsigned)strlen(attribute));
}

static bool has_word(const char *list, size_t size, const char *word, size_t n)
{
    for (size_t at = 0, length; at < size; at += length + 1) {
        const char *end = memchr(list + at, ',', size - at);
        length = end != NULL ? (size_t)(end - list) - at : size - at;
        if (length == n && memcmp(list + at, word, n) == 0)
            return true;
    }
    return false;
}

/* Copies the words of "+aes,-avx" that are in `among`, or those that are not; returns their
 * size. `out` may be the text itself. */
static size_t copy_words(const char *text, size_t size, const char *among, size_t among_size,
                         bool wanted, char *out)
{
    size_t used = 0;
    for (size_t at = 0, length; at < size; at += length + 1) {
        const char *end = memchr(text + at, ',', size - at);
        length = end != NULL ? (size_t)(end - text) - at : size - at;
        if (has_word(among, among_size, text + at, length) != wanted)
            continue;
        if (used > 0)
            out[used++] = ',';
        memmove(out + used, text + at, length);
        used += length;
    }
    return used;
}

/* Returns the features that all functions with code share, also those without any; for
 * free(). */
static char *find_common(LLVMModuleRef module, size_t *size_out)
{
    char *common = NULL;
    unsigned size = 0;
    *size_out = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        const char *text = features_of(f, &size);
        if (LLVMIsDeclaration(f))
            continue;
        if (common != NULL) {
            *size_out = copy_words(common, *size_out, text, size, true, common);
            continue;
        }
        common = malloc(size + 1);
        if (common == NULL)
            return NULL;
        memcpy(common, text != NULL ? text : "", size);
        *size_out = size;
    }
    return common != NULL ? common : calloc(1, 1);
}

static tc_status set_own(LLVMValueRef function, const char *common, size_t common_size)
{
    unsigned size = 0;
    const char *text = features_of(function, &size);
    if (text == NULL)
        return TC_OK;
    char *own = malloc(size + 1);
    if (own == NULL)
        return TC_E_NO_MEMORY;
    size_t own_size = copy_words(text, size, common, common_size, false, own);
    own[own_size] = '\0';
    remove_features(function);
    if (own_size > 0)
        LLVMAddTargetDependentFunctionAttr(function, attribute, own);
    free(own);
    return TC_OK;
}

/* --- instructions by name ---------------------------------------------------------------- */

static bool starts_with_one(const char *name, size_t size, const char *const *starts)
{
    for (; *starts != NULL; starts++) {
        if (size > strlen(*starts) && memcmp(name, *starts, strlen(*starts)) == 0)
            return true;
    }
    return false;
}

/* Returns whether the value is a vector of a size that the processor chooses. */
static bool is_scalable(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMScalableVectorTypeKind;
}

/* Excludes instructions that every processor of an architecture has. */
static bool is_of_processor(LLVMValueRef instruction)
{
    static const char *const some[] = {"llvm.x86.", "llvm.aarch64.", "llvm.vscale.", NULL};
    static const char *const all[] = {"llvm.x86.sse.", "llvm.x86.sse2.", "llvm.aarch64.neon.",
                                      NULL};
    size_t size = 0;
    if (is_scalable(instruction) ||
        (LLVMGetNumOperands(instruction) > 0 && is_scalable(LLVMGetOperand(instruction, 0))))
        return true;
    if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
        return false;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(instruction), &size);
    return starts_with_one(name, size, some) && !starts_with_one(name, size, all);
}

static LLVMValueRef first_use_in(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            if (is_of_processor(i))
                return i;
        }
    }
    return NULL;
}

static LLVMValueRef first_use(LLVMModuleRef module)
{
    LLVMValueRef use = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL && use == NULL;
         f = LLVMGetNextFunction(f))
        use = first_use_in(f);
    return use;
}

/* For an error text: without memory the text has no position. */
char *tci_own_features_place(LLVMModuleRef module, const char *origin)
{
    char place[TCI_PLACE_MAX];
    LLVMValueRef use = first_use(module);
    if (use == NULL)
        return NULL;
    tci_source_place_of(use, origin, place);
    return strdup(place);
}

/* --- the whole --------------------------------------------------------------------------- */

static void remove_unneeded(LLVMModuleRef module)
{
    unsigned size = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (features_of(f, &size) != NULL && first_use_in(f) != NULL)
            return;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        remove_features(f);
}

tc_status tci_own_features_keep(LLVMModuleRef module, tc_error *err)
{
    size_t size = 0;
    char *common = find_common(module, &size);
    tc_status status = common != NULL ? TC_OK : TC_E_NO_MEMORY;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL && status == TC_OK;
         f = LLVMGetNextFunction(f))
        status = set_own(f, common, size);
    free(common);
    if (status != TC_OK)
        return tci_error_set(err, status, "no memory for the features of functions");
    remove_unneeded(module);
    return TC_OK;
}
