#include "image_checks.h"

#include "engine/orc/llvm_compat.h"
#include "image.h"
#include "image_layout.h"
#include "source_place.h"

#include <stdio.h>

typedef struct inspection {
    LLVMTargetDataRef layout;
    LLVMValueRef variable;
    const char *origin;
    tci_text_list *findings;
} inspection;

static void report(const inspection *in, const char *what)
{
    char place[TCI_PLACE_MAX];
    char line[TCI_PLACE_MAX + 512];
    size_t size = 0;
    const char *name = LLVMGetValueName2(in->variable, &size);
    tci_source_place_of(in->variable, in->origin, place);
    (void)snprintf(line, sizeof line,
                   "%s: error: variable '%.*s' %s; --forms=bitcode makes no image", place,
                   size > 200 ? 200 : (int)size, name, what);
    tci_text_list_add_once(in->findings, line);
}

/* An address becomes a relocation of eight bytes; a difference of two does not. */
static bool is_address(const inspection *in, LLVMValueRef value)
{
    return (LLVMIsAGlobalValue(value) != NULL || LLVMIsAConstantExpr(value) != NULL) &&
           LLVMABISizeOfType(in->layout, LLVMTypeOf(value)) == TCI_RELOCATION_BYTES;
}

/* Whether an address lies, in a constant that begins at `offset` of its variable, where it is
 * not aligned. */
static bool has_odd_address(const inspection *in, LLVMValueRef value, unsigned long long offset)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_struct = LLVMIsAConstantStruct(value) != NULL;
    if (!is_struct && LLVMIsAConstantArray(value) == NULL)
        return offset % TCI_RELOCATION_BYTES != 0 && is_address(in, value);
    unsigned long long stride =
        is_struct ? 0 : LLVMABISizeOfType(in->layout, LLVMGetElementType(type));
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    for (unsigned i = 0; i < count; i++) {
        unsigned long long inside =
            is_struct ? LLVMOffsetOfElement(in->layout, type, i) : i * stride;
        if (has_odd_address(in, LLVMGetOperand(value, i), offset + inside))
            return true;
    }
    return false;
}

void tci_image_checks_run(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    inspection in = {
        .layout = LLVMGetModuleDataLayout(module), .origin = origin, .findings = findings};
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        char what[128];
        in.variable = v;
        if (LLVMIsDeclaration(v))
            continue;
        (void)snprintf(what, sizeof what, "is aligned to %u bytes, an image can give %u",
                       LLVMGetAlignment(v), TCI_IMAGE_BASE_ALIGNMENT);
        if (LLVMGetAlignment(v) > TCI_IMAGE_BASE_ALIGNMENT)
            report(&in, what);
        LLVMValueRef initial = LLVMGetInitializer(v);
        if (initial != NULL && has_odd_address(&in, initial, 0))
            report(&in, "has an address at no multiple of 8 bytes, as in a packed structure");
    }
}
