#include "payload_request.h"

#include "archive_name.h"
#include "source_place.h"

#include <stdio.h>
#include <string.h>

#define ALIGNMENT "_payload_alignment"
#define READONLY "_payload_readonly"
#define PROTOTYPE "_payload_prototype"

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
    LLVMValueRef value = LLVMGetInitializer(variable);
    size_t size = 0;
    const char *text = NULL;
    if (LLVMIsGlobalConstant(variable) && value != NULL &&
        LLVMIsAConstantDataSequential(value) != NULL && LLVMIsConstantString(value))
        text = LLVMGetAsString(value, &size);
    if (text == NULL || size == 0 || strnlen(text, size) != size - 1) {
        report(r, variable, symbol,
               "expected a constant text; TC_PROTOTYPE of <tc/entry.h> defines it");
    } else if (tci_prototype_check(text, TC_E_INVALID, &error) != TC_OK) {
        report(r, variable, symbol, error.text);
    } else {
        memcpy(out, text, size);
    }
}

tci_payload_request tci_payload_request_of(LLVMModuleRef module, const char *name,
                                           const char *origin, tci_text_list *findings)
{
    const request r = {module, name, origin, findings};
    tci_payload_request payload = {.alignment = alignment_of(&r),
                                   .readonly =
                                       number_of(&r, READONLY, "TC_PAYLOAD_READONLY", 0) != 0};
    copy_prototype(&r, payload.prototype);
    return payload;
}
