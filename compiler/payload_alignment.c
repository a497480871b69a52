#include "payload_alignment.h"

#include "archive_name.h"
#include "source_place.h"

#include <stdio.h>

static void report(LLVMValueRef value, const char *symbol, const char *origin,
                   const char *problem, tci_text_list *findings)
{
    char place[TCI_PLACE_MAX];
    tci_source_place_of(value, origin, place);
    tci_text_list_format(findings, "%s: error: '%s': %s", place, symbol, problem);
}

unsigned tci_payload_alignment_of(LLVMModuleRef module, const char *name, const char *origin,
                                  tci_text_list *findings)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    tc_error error;
    (void)snprintf(symbol, sizeof symbol, "%s_payload_alignment", name);
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
