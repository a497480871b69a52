#include "image_object.h"

#include "archive.h"
#include "base/error_text.h"
#include "engine/orc/llvm_compat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cpu_row {
    const char *triple;
    unsigned level;
    const char *llvm_triple;
    const char *cpu;
    const char *features;
} cpu_rows[] = {
    {"x86_64-linux", TCI_CPU_ANY, "x86_64-unknown-linux-gnu", "x86-64", ""},
    {"x86_64-linux", TCI_CPU_X86_64_V2, "x86_64-unknown-linux-gnu", "x86-64-v2", ""},
    {"x86_64-linux", TCI_CPU_X86_64_V3, "x86_64-unknown-linux-gnu", "x86-64-v3", ""},
    {"x86_64-linux", TCI_CPU_X86_64_V4, "x86_64-unknown-linux-gnu", "x86-64-v4", ""},
    {"aarch64-linux", TCI_CPU_ANY, "aarch64-unknown-linux-gnu", "generic", ""},
    {"aarch64-linux", TCI_CPU_AARCH64_LSE, "aarch64-unknown-linux-gnu", "generic", "+lse"},
    {"aarch64-linux", TCI_CPU_AARCH64_SVE, "aarch64-unknown-linux-gnu", "generic",
     "+lse,+fullfp16,+sve"},
};

static const struct cpu_row *find_row(const char *triple, unsigned level)
{
    for (size_t i = 0; i < sizeof cpu_rows / sizeof cpu_rows[0]; i++) {
        if (strcmp(cpu_rows[i].triple, triple) == 0 && cpu_rows[i].level == level)
            return &cpu_rows[i];
    }
    return NULL;
}

bool tci_image_object_knows(const char *triple, unsigned cpu_level)
{
    return find_row(triple, cpu_level) != NULL;
}

/* --- LLVM's error channels --------------------------------------------------------------- */

/* Keeps the first error of the back end, which then continues and makes an object that lacks
 * the faulty code. */
static void keep_first_error(LLVMDiagnosticInfoRef info, void *user)
{
    char *first = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || first[0] != '\0')
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    (void)snprintf(first, TC_ERROR_TEXT_MAX / 2, "%s", text);
    LLVMDisposeMessage(text);
}

/* Source position in the code being compiled; LLVM's handler gets no argument of ours. */
static const char *special_place;

/* Ends the process: no output has been written yet, and LLVM cannot continue. */
static void say_and_end(const char *reason)
{
    if (special_place != NULL)
        (void)fprintf(stderr,
                      "%s: error: this is the first that asks for an instruction by name "
                      "which not every CPU has\n",
                      special_place);
    (void)fprintf(
        stderr,
        "%s: error: LLVM cannot make machine code of this: %s; --forms=bitcode leaves "
        "that to the target\n",
        program_invocation_short_name, reason);
    _exit(EXIT_FAILURE);
}

static void prepare_llvm(void)
{
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    LLVMInitializeAllAsmParsers(); /* for inline assembly */
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(say_and_end);
}

/* --- the machine ------------------------------------------------------------------------- */

static LLVMCodeGenOptLevel codegen_level(char opt_level)
{
    return opt_level == '0'   ? LLVMCodeGenLevelNone
           : opt_level == '3' ? LLVMCodeGenLevelAggressive
                              : LLVMCodeGenLevelDefault;
}

static tc_status make_machine(const struct cpu_row *row, char opt_level,
                              LLVMTargetMachineRef *machine_out, tc_error *err)
{
    LLVMTargetRef target = NULL;
    char *text = NULL;
    if (LLVMGetTargetFromTriple(row->llvm_triple, &target, &text)) {
        (void)tci_error_set(err, TC_E_COMPILE, "%s: %s", row->llvm_triple, text);
        LLVMDisposeMessage(text);
        return TC_E_COMPILE;
    }
    *machine_out =
        LLVMCreateTargetMachine(target, row->llvm_triple, row->cpu, row->features,
                                codegen_level(opt_level), LLVMRelocPIC, LLVMCodeModelSmall);
    if (*machine_out == NULL)
        return tci_error_set(err, TC_E_COMPILE, "no code generator for %s", row->llvm_triple);
    return TC_OK;
}

/* --- the module -------------------------------------------------------------------------- */

/* Has the effect of the C compiler's -fno-plt, for bitcode of any compiler. */
static void call_through_memory(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned kind = LLVMGetEnumAttributeKindForName("nonlazybind", strlen("nonlazybind"));
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(context, kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) && LLVMGetIntrinsicID(f) == 0)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    attribute);
    }
}

static void set_flag(LLVMModuleRef module, const char *name, unsigned value)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorOverride, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(type, value, false)));
}

/* The archive carries no module flags. These two state how to reach the symbols that the code
 * generator itself refers to (helpers, the stack guard), as the machine does for all others. */
static void set_flags(LLVMModuleRef module)
{
    set_flag(module, "PIC Level", 2);
    set_flag(module, "RtLibUseGOT", 1);
}

static tc_status emit(LLVMModuleRef module, LLVMTargetMachineRef machine,
                      const char *first_error, void **bytes_out, size_t *size_out,
                      tc_error *err)
{
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMSetTarget(module, triple);
    LLVMDisposeMessage(triple);
    call_through_memory(module);
    set_flags(module);

    LLVMMemoryBufferRef buffer = NULL;
    char *text = NULL;
    tc_status status = TC_OK;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &text, &buffer)) {
        (void)tci_error_set(err, TC_E_COMPILE, "machine code: %s", text);
        LLVMDisposeMessage(text);
        return TC_E_COMPILE;
    }
    size_t size = LLVMGetBufferSize(buffer);
    void *bytes = malloc(size);
    if (first_error[0] != '\0')
        status = tci_error_set(err, TC_E_COMPILE, "machine code: %s", first_error);
    else if (bytes == NULL)
        status =
            tci_error_set(err, TC_E_NO_MEMORY, "no memory for an object of %zu bytes", size);
    else
        memcpy(bytes, LLVMGetBufferStart(buffer), size);
    LLVMDisposeMemoryBuffer(buffer);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    *size_out = size;
    return TC_OK;
}

tc_status tci_image_object_make(const tci_ifunc_code *code, char opt_level, void **bytes_out,
                                size_t *size_out, tc_error *err)
{
    const struct cpu_row *row = find_row(code->triple, code->cpu_level);
    char first_error[TC_ERROR_TEXT_MAX / 2] = "";
    LLVMTargetMachineRef machine = NULL;
    LLVMModuleRef module = NULL;
    if (row == NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED, "no machine code for %s, cpu level %u",
                             code->triple, code->cpu_level);
    prepare_llvm();
    special_place = code->special_place;
    TC_TRY(make_machine(row, opt_level, &machine, err));
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, keep_first_error, first_error);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(code->bytes, code->size, "", false);
    tc_status status;
    if (LLVMParseBitcodeInContext2(context, buffer, &module))
        status =
            tci_error_set(err, TC_E_CORRUPT, "LLVM cannot read the bitcode: %s", first_error);
    else
        status = emit(module, machine, first_error, bytes_out, size_out, err);
    LLVMDisposeMemoryBuffer(buffer);
    if (module != NULL)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    return status;
}
