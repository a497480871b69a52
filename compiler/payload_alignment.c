#include "payload_alignment.h"

#include "archive_name.h"
#include "source_place.h"

#include <stdio.h>
#include <string.h>

#define SUFFIX "_payload_alignment"

static void report(LLVMValueRef value, const char *symbol, const char *origin,
                   const char *problem, tci_text_list *findings)
{
    char place[TCI_PLACE_MAX];
    tci_source_place_of(value, origin, place);
    tci_text_list_format(findings, "%s: error: '%s': %s", place, symbol, problem);
}

/* A name that is misspelt would ask for nothing, and nobody would notice before the first load that
 * faults. A source may hold several functions, each with its own. */
static void check_other_names(LLVMModuleRef module, const char *name, const char *origin,
                              tci_text_list *findings)
{
    char problem[2 * TCI_ARCHIVE_NAME_MAX], main[TCI_ARCHIVE_NAME_MAX + 32];
    const size_t suffix = sizeof SUFFIX - 1;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        size_t size = 0;
        const char *symbol = LLVMGetValueName2(v, &size);
        if (size <= suffix || size - suffix >= TCI_ARCHIVE_NAME_MAX ||
            memcmp(symbol + size - suffix, SUFFIX, suffix) != 0)
            continue;
        (void)snprintf(main, sizeof main, "%.*s_main", (int)(size - suffix), symbol);
        if (LLVMGetNamedFunction(module, main) != NULL)
            continue;
        (void)snprintf(problem, sizeof problem, "there is no %s; the function is '%s'", main,
                       name);
        report(v, symbol, origin, problem, findings);
    }
}

unsigned tci_payload_alignment_of(LLVMModuleRef module, const char *name, const char *origin,
                                  tci_text_list *findings)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    tc_error error;
    (void)snprintf(symbol, sizeof symbol, "%s" SUFFIX, name);
    check_other_names(module, name, origin, findings);
    LLVMValueRef variable = LLVMGetNamedGlobal(module, symbol);
    if (variable == NULL)
        return TCI_PAYLOAD_ALIGNMENT_MIN;
    LLVMValueRef value = LLVMGetInitializer(variable);
    if (!LLVMIsGlobalConstant(variable) || value == NULL || LLVMIsAConstantInt(value) == NULL ||
        LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64) {
        report(variable, symbol, origin,
               "expected a constant whole number; TC_PAYLOAD_ALIGN of <tc/entry.h> defines it",
               findings);
        return TCI_PAYLOAD_ALIGNMENT_MIN;
    }
    unsigned long long alignment = LLVMConstIntGetZExtValue(value);
    if (tci_archive_check_alignment(alignment, TC_E_INVALID, &error) == TC_OK)
        return (unsigned)alignment;
    report(variable, symbol, origin, error.text, findings);
    return TCI_PAYLOAD_ALIGNMENT_MIN;
}
