#include "ship_checks.h"

#include "source_place.h"

#include <stdio.h>
#include <string.h>

/* What every check needs. */
typedef struct inspection {
    LLVMModuleRef module;
    const char *origin;
    tci_text_list *findings;
} inspection;

static void report(const inspection *in, LLVMValueRef value, const char *what)
{
    char place[TCI_PLACE_MAX];
    char line[TCI_PLACE_MAX + 512];
    tci_source_place_of(value, in->origin, place);
    (void)snprintf(line, sizeof line, "%s: error: %s", place, what);
    tci_text_list_add_once(in->findings, line);
}

static void report_named(const inspection *in, LLVMValueRef value, LLVMValueRef named,
                         const char *before, const char *behind)
{
    char what[512];
    size_t size = 0;
    const char *name = LLVMGetValueName2(named, &size);
    (void)snprintf(what, sizeof what, "%s'%.*s'%s", before, size > 200 ? 200 : (int)size, name,
                   behind);
    report(in, value, what);
}

static void check_thread_locals(const inspection *in)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (LLVMIsThreadLocal(v))
            report_named(in, v, v, "thread-local variable ",
                         " cannot be shipped; keep the state in the payload or in target_args");
    }
}

static void check_gnu_ifuncs(const inspection *in)
{
    for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(in->module); v != NULL;
         v = LLVMGetNextGlobalIFunc(v)) {
        LLVMValueRef resolver = LLVMGetGlobalIFuncResolver(v);
        report_named(
            in, resolver != NULL ? resolver : v, v, "GNU ifunc ",
            " (attribute ifunc or target_clones) cannot be shipped; the target picks the CPU");
    }
}

/* The arrays hold {priority, function, data}. */
static void check_constructors(const inspection *in, const char *array, const char *before)
{
    LLVMValueRef v = LLVMGetNamedGlobal(in->module, array);
    LLVMValueRef list = v != NULL ? LLVMGetInitializer(v) : NULL;
    if (list == NULL || LLVMIsAConstantArray(list) == NULL)
        return;
    for (int i = 0; i < LLVMGetNumOperands(list); i++) {
        LLVMValueRef row = LLVMGetOperand(list, (unsigned)i);
        if (LLVMGetNumOperands(row) < 2)
            continue;
        LLVMValueRef function = LLVMGetOperand(row, 1);
        report_named(in, function, function, before,
                     " cannot be shipped; nothing would run it");
    }
}

/* The same by hand: pointers in the sections that a loader would walk. */
static void check_constructor_sections(const inspection *in)
{
    static const char *const sections[] = {".init_array", ".fini_array", ".preinit_array",
                                           ".ctors", ".dtors"};
    for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v != NULL; v = LLVMGetNextGlobal(v)) {
        const char *section = LLVMGetSection(v);
        for (size_t i = 0; section != NULL && i < sizeof sections / sizeof sections[0]; i++) {
            if (strncmp(section, sections[i], strlen(sections[i])) == 0)
                report_named(in, v, v, "variable ",
                             " in a section of constructors cannot be shipped; nothing would "
                             "run them");
        }
    }
}

static bool is_call(LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    return opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr;
}

static void check_assembly_of(const inspection *in, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
        if (is_call(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)) != NULL)
            report(in, i, "inline assembly cannot be shipped unless --allow-asm is given");
    }
}

static void check_assembly(const inspection *in)
{
    size_t size = 0;
    (void)LLVMGetModuleInlineAsm(in->module, &size);
    if (size > 0) {
        char line[TCI_PLACE_MAX];
        (void)snprintf(
            line, sizeof line,
            "%s: error: assembly at file scope cannot be shipped unless --allow-asm is given",
            in->origin);
        tci_text_list_add_once(in->findings, line);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(in->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b))
            check_assembly_of(in, b);
    }
}

void tci_ship_checks_run(LLVMModuleRef module, const char *origin, bool allow_asm,
                         tci_text_list *findings)
{
    inspection in = {.module = module, .origin = origin, .findings = findings};
    check_thread_locals(&in);
    check_gnu_ifuncs(&in);
    check_constructors(&in, "llvm.global_ctors", "constructor ");
    check_constructors(&in, "llvm.global_dtors", "destructor ");
    check_constructor_sections(&in);
    if (!allow_asm)
        check_assembly(&in);
}
