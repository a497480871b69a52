#include "hole_variables.h"

#include "base/error_text.h"
#include "image.h"

#include <string.h>

bool tci_hole_variables_is(LLVMValueRef global)
{
    const char *section = LLVMIsAGlobalVariable(global) != NULL ? LLVMGetSection(global) : NULL;
    return section != NULL && !LLVMIsDeclaration(global) &&
           (strcmp(section, TCI_HOLE_SECTION) == 0 ||
            strcmp(section, TCI_HOLE_SECTION_INTEGER) == 0 ||
            strcmp(section, TCI_HOLE_SECTION_FLOATING) == 0);
}

/* A structure or an array has no kind, nor has a number that processors differ in. */
static const char *section_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        const unsigned bits = LLVMGetIntTypeWidth(type);
        const bool is_common = bits >= 8 && bits <= 128 && (bits & (bits - 1)) == 0;
        return is_common ? TCI_HOLE_SECTION_INTEGER : NULL;
    }
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return TCI_HOLE_SECTION_FLOATING;
    default:
        return NULL;
    }
}

void tci_hole_variables_state_kind(LLVMValueRef global)
{
    const char *section = section_of(LLVMGlobalGetValueType(global));
    if (section != NULL && strcmp(LLVMGetSection(global), TCI_HOLE_SECTION) == 0)
        LLVMSetSection(global, section);
}

bool tci_hole_variables_exist(LLVMModuleRef module)
{
    LLVMValueRef v = LLVMGetFirstGlobal(module);
    while (v != NULL && !tci_hole_variables_is(v))
        v = LLVMGetNextGlobal(v);
    return v != NULL;
}

static bool has_image(const tci_ifunc_code *codes, size_t count, const char *triple)
{
    for (size_t i = 0; i < count; i++) {
        if (codes[i].form == TCI_FORM_IMAGE && strcmp(codes[i].triple, triple) == 0)
            return true;
    }
    return false;
}

static bool are_alike(const tci_image *a, const tci_image *b)
{
    bool alike = a->hole_count == b->hole_count;
    for (uint32_t i = 0; alike && i < a->hole_count; i++)
        alike = strcmp(a->holes[i].name, b->holes[i].name) == 0 &&
                a->holes[i].bytes == b->holes[i].bytes && a->holes[i].kind == b->holes[i].kind;
    return alike;
}

tc_status tci_hole_variables_check(const tci_ifunc_code *codes, size_t count, tc_error *err)
{
    tci_image first = {.hole_count = 0}, image;
    const tci_ifunc_code *of_first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (codes[i].has_holes && codes[i].is_library)
            return tci_error_set(err, TC_E_UNSUPPORTED, "a library has no holes (TC_HOLE)");
        if (codes[i].has_holes && !has_image(codes, count, codes[i].triple))
            return tci_error_set(err, TC_E_UNSUPPORTED,
                                 "holes (TC_HOLE) are for images, and none is made for %s",
                                 codes[i].triple);
        if (codes[i].form != TCI_FORM_IMAGE)
            continue;
        TC_TRY(tci_image_open(codes[i].bytes, codes[i].size, &image, err));
        if (of_first != NULL && !are_alike(&first, &image))
            return tci_error_set(err, TC_E_INVALID,
                                 "the images for %s and %s have different holes",
                                 of_first->triple, codes[i].triple);
        first = image;
        of_first = &codes[i];
    }
    return TC_OK;
}
