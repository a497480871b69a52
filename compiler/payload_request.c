#include "payload_request.h"

#include "archive_name.h"
#include "source_place.h"

#include <stdio.h>
#include <string.h>

#define ALIGNMENT "_payload_alignment"
#define READONLY "_payload_readonly"
#define UNIT "_payload_unit"
#define PROTOTYPE "_payload_prototype"

enum { TEXT_NESTING = 2 }; /* arrays and structs around the bytes of a text */

typedef struct request {
    LLVMModuleRef module;
    const char *name, *origin;
    tci_text_list *findings;
} request;

static void report(const request *r, LLVMValueRef value, const char *symbol,
                   const char *problem)
{
    char place[TCI_PLACE_MAX];
    tci_source_place_of(value, r->origin, place);
    tci_text_list_format(r->findings, "%s: error: '%s': %s", place, symbol, problem);
}

/* A misspelt name would request nothing, unnoticed until the first load that faults, or store
 * that does not. A source may hold several functions, each with its own constants. */
static void check_other_names(const request *r, const char *suffix)
{
    char problem[2 * TCI_ARCHIVE_NAME_MAX], main[TCI_ARCHIVE_NAME_MAX + 32];
    const size_t suffix_size = strlen(suffix);
    for (LLVMValueRef v = LLVMGetFirstGlobal(r->module); v != NULL; v = LLVMGetNextGlobal(v)) {
        size_t size = 0;
        const char *symbol = LLVMGetValueName2(v, &size);
        if (size <= suffix_size || size - suffix_size >= TCI_ARCHIVE_NAME_MAX ||
            memcmp(symbol + size - suffix_size, suffix, suffix_size) != 0)
            continue;
        (void)snprintf(main, sizeof main, "%.*s_main", (int)(size - suffix_size), symbol);
        if (LLVMGetNamedFunction(r->module, main) != NULL)
            continue;
        (void)snprintf(problem, sizeof problem, "there is no %s; the function is '%s'", main,
                       r->name);
        report(r, v, symbol, problem);
    }
}

/* Returns the value of a constant of the function, or `otherwise` if there is none. */
static unsigned long long number_of(const request *r, const char *suffix, const char *macro,
                                    unsigned long long otherwise)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32], problem[128];
    check_other_names(r, suffix);
    (void)snprintf(symbol, sizeof symbol, "%s%s", r->name, suffix);
    LLVMValueRef variable = LLVMGetNamedGlobal(r->module, symbol);
    if (variable == NULL)
        return otherwise;
    LLVMValueRef value = LLVMGetInitializer(variable);
    if (LLVMIsGlobalConstant(variable) && value != NULL && LLVMIsAConstantInt(value) != NULL &&
        LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        return LLVMConstIntGetZExtValue(value);
    (void)snprintf(problem, sizeof problem,
                   "expected a constant whole number; %s of <tc/entry.h> defines it", macro);
    report(r, variable, symbol, problem);
    return otherwise;
}

/* TC_AM_FUNCTION defines it. Any value will do: a variable of Fortran's is no constant. */
static bool has_unit(const request *r)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    check_other_names(r, UNIT);
    (void)snprintf(symbol, sizeof symbol, "%s" UNIT, r->name);
    return LLVMGetNamedGlobal(r->module, symbol) != NULL;
}

static unsigned alignment_of(const request *r)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    tc_error error;
    const unsigned long long alignment =
        number_of(r, ALIGNMENT, "TC_PAYLOAD_ALIGN", TCI_PAYLOAD_ALIGNMENT_MIN);
    if (tci_archive_check_alignment(alignment, TC_E_INVALID, &error) == TC_OK)
        return (unsigned)alignment;
    (void)snprintf(symbol, sizeof symbol, "%s" ALIGNMENT, r->name);
    report(r, LLVMGetNamedGlobal(r->module, symbol), symbol, error.text);
    return TCI_PAYLOAD_ALIGNMENT_MIN;
}

/* Appends the bytes of a constant: a text, or an array or a struct of such, as other languages
 * have them (Rust wraps a static in a struct, Fortran's texts are arrays of texts of one byte).
 * Returns false where it is another constant, or has no space left. */
static bool append_bytes(LLVMValueRef value, unsigned depth, char *out, size_t *used)
{
    size_t size = 0;
    if (LLVMIsAConstantDataSequential(value) != NULL && LLVMIsConstantString(value)) {
        const char *bytes = LLVMGetAsString(value, &size);
        if (size > TCI_PROTOTYPE_MAX - *used)
            return false;
        memcpy(out + *used, bytes, size);
        *used += size;
        return true;
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool is_byte_array =
        LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
        LLVMGetElementType(type) == LLVMInt8TypeInContext(LLVMGetTypeContext(type));
    if (LLVMIsAConstantAggregateZero(value) != NULL && is_byte_array &&
        LLVMGetArrayLength2(type) <= TCI_PROTOTYPE_MAX - *used) {
        memset(out + *used, 0, LLVMGetArrayLength2(type));
        *used += LLVMGetArrayLength2(type);
        return true;
    }
    if (depth == 0 ||
        (LLVMIsAConstantArray(value) == NULL && LLVMIsAConstantStruct(value) == NULL))
        return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++) {
        if (!append_bytes(LLVMGetOperand(value, i), depth - 1, out, used))
            return false;
    }
    return true;
}

/* A variable of Fortran's has a first value and is no constant; no code has its address. */
static bool read_text(LLVMValueRef variable, char out[TCI_PROTOTYPE_MAX])
{
    size_t size = 0;
    LLVMValueRef value = LLVMGetInitializer(variable);
    return value != NULL &&
           (LLVMIsGlobalConstant(variable) || LLVMGetFirstUse(variable) == NULL) &&
           append_bytes(value, TEXT_NESTING, out, &size) && size > 0 &&
           strnlen(out, size) == size - 1;
}

/* Copies the text to `out`, or "" if there is none. */
static void copy_prototype(const request *r, char out[TCI_PROTOTYPE_MAX])
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    tc_error error;
    check_other_names(r, PROTOTYPE);
    (void)snprintf(symbol, sizeof symbol, "%s" PROTOTYPE, r->name);
    LLVMValueRef variable = LLVMGetNamedGlobal(r->module, symbol);
    if (variable == NULL)
        return;
    char text[TCI_PROTOTYPE_MAX];
    if (!read_text(variable, text)) {
        report(r, variable, symbol,
               "expected a constant text; TC_PROTOTYPE of <tc/entry.h> defines it");
    } else if (tci_prototype_check(text, TC_E_INVALID, &error) != TC_OK) {
        report(r, variable, symbol, error.text);
    } else {
        memcpy(out, text, strlen(text) + 1);
    }
}

tci_payload_request tci_payload_request_of(LLVMModuleRef module, const char *name,
                                           const char *origin, tci_text_list *findings)
{
    const request r = {module, name, origin, findings};
    tci_payload_request payload = {.alignment = alignment_of(&r),
                                   .readonly =
                                       number_of(&r, READONLY, "TC_PAYLOAD_READONLY", 0) != 0,
                                   .unit = has_unit(&r)};
    copy_prototype(&r, payload.prototype);
    return payload;
}
