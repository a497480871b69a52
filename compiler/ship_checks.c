/* Three sets of checks: of a source's module before it is linked (bounds, constructors,
 * alignment, assembly), of the constants in it that images cannot express, and of the linked
 * module's entry points, whose names and types are in tables of rules. */
#include "ship_checks.h"

#include "archive.h"
#include "engine/orc/code_bounds.h"
#include "engine/orc/llvm_compat.h"
#include "foreign_words.h"
#include "image.h"
#include "image_layout.h"
#include "source_place.h"

#include <stdio.h>
#include <string.h>

/* Data for every check. */
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

/* Finds pointers in sections that loaders of programs read, beside those of code_life.h. */
static void check_constructor_sections(const inspection *in)
{
    static const char *const sections[] = {".preinit_array", ".ctors", ".dtors"};
    for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v != NULL; v = LLVMGetNextGlobal(v)) {
        const char *section = LLVMGetSection(v);
        for (size_t i = 0; section != NULL && i < sizeof sections / sizeof sections[0]; i++) {
            if (strncmp(section, sections[i], strlen(sections[i])) == 0)
                report_named(in, v, v, "variable ",
                             " in a section of constructors cannot be shipped; expected "
                             ".init_array or .fini_array");
        }
    }
}

static void check_alignment(const inspection *in, LLVMValueRef value)
{
    const uint64_t alignment = tci_code_bounds_alignment(in->module, value);
    char behind[128];
    (void)snprintf(behind, sizeof behind, " is aligned to %llu bytes, a target can give %u",
                   (unsigned long long)alignment, TCI_IMAGE_BASE_ALIGNMENT);
    if (!LLVMIsDeclaration(value) && alignment > TCI_IMAGE_BASE_ALIGNMENT)
        report_named(in, value, value, "", behind);
}

/* In either form code begins at a multiple of the smallest page, at any free address. */
static void check_alignments(const inspection *in)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v != NULL; v = LLVMGetNextGlobal(v))
        check_alignment(in, v);
    for (LLVMValueRef f = LLVMGetFirstFunction(in->module); f != NULL;
         f = LLVMGetNextFunction(f))
        check_alignment(in, f);
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
        LLVMValueRef called = is_call(i) ? LLVMGetCalledValue(i) : NULL;
        if (called != NULL && LLVMIsAInlineAsm(called) != NULL &&
            !tci_llvm_is_empty_assembly(called))
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
    check_constructor_sections(&in);
    check_alignments(&in);
    if (!allow_asm)
        check_assembly(&in);
    tci_foreign_words_of_module(module, origin, findings);
}

bool tci_ship_checks_of_bounds(LLVMModuleRef module, const char *origin,
                               tci_text_list *findings)
{
    inspection in = {.module = module, .origin = origin, .findings = findings};
    tci_code_excess excess;
    bool exceeded = tci_code_bounds_exceeded(module, &excess);
    if (exceeded)
        report(&in, excess.where, excess.text);
    return !exceeded;
}

/* --- code that images cannot express ----------------------------------------------------- */

typedef struct image_inspection {
    LLVMTargetDataRef layout;
    LLVMValueRef variable;
    const char *origin;
    tci_text_list *findings;
} image_inspection;

static void report_constant(const image_inspection *in, const char *what)
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
static bool is_address(const image_inspection *in, LLVMValueRef value)
{
    return (LLVMIsAGlobalValue(value) != NULL || LLVMIsAConstantExpr(value) != NULL) &&
           LLVMABISizeOfType(in->layout, LLVMTypeOf(value)) == TCI_RELOCATION_BYTES;
}

/* Returns whether a constant that begins at `offset` of its variable has an address that is not
 * aligned. */
static bool has_odd_address(const image_inspection *in, LLVMValueRef value,
                            unsigned long long offset)
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

void tci_ship_checks_of_image(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    image_inspection in = {
        .layout = LLVMGetModuleDataLayout(module), .origin = origin, .findings = findings};
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        in.variable = v;
        LLVMValueRef initial = LLVMIsDeclaration(v) ? NULL : LLVMGetInitializer(v);
        if (initial != NULL && has_odd_address(&in, initial, 0))
            report_constant(
                &in, "has an address at no multiple of 8 bytes, as in a packed structure");
    }
}

/* --- entry points ------------------------------------------------------------------------ */

enum { SYMBOL_MAX = TCI_ARCHIVE_NAME_MAX + 32, PARAMETERS_MAX = 4 };

typedef struct entry_rule {
    const char *suffix;
    unsigned bit;
    char result;                         /* v: void, i: int, s: size_t */
    char parameters[PARAMETERS_MAX + 1]; /* p: pointer, s: size_t */
    const char *prototype;               /* in C, for people; %s is the name */
} entry_rule;

static const entry_rule rules[] = {
    {"_main", TCI_ENTRY_MAIN, 'v', "psp",
     "void %s_main(void *payload, size_t payload_size, void *target_args)"},
    {"_payload_get_max_size", TCI_ENTRY_MAX_SIZE, 's', "ps",
     "size_t %s_payload_get_max_size(void *source_args, size_t source_args_size)"},
    {"_payload_init", TCI_ENTRY_INIT, 'i', "psps",
     "int %s_payload_init(void *payload, size_t payload_size, void *source_args, size_t "
     "source_args_size)"},
};

/* The rules of the original's API, which the presence of NAME_payload_bound selects. */
static const entry_rule original_rules[] = {
    {"_main", TCI_ENTRY_MAIN, 'v', "psp",
     "void %s_main(void *payload, size_t payload_size, void *target_args)"},
    {"_payload_bound", TCI_ENTRY_MAX_SIZE, 's', "ps",
     "size_t %s_payload_bound(void *source_args, size_t size)"},
    {"_payload_init", TCI_ENTRY_INIT, 'i', "pspp",
     "int %s_payload_init(void *source_args, size_t size, void *payload, size_t "
     "*payload_size)"},
};

typedef struct entry_search {
    LLVMModuleRef module;
    const char *name;
    const char *origin;
    tci_text_list *findings;
} entry_search;

static const char *prototype_of(const entry_search *s, const entry_rule *rule, char out[512])
{
    /* The only conversion in the table's texts is %s for the name. */
    const char *hole = strstr(rule->prototype, "%s");
    (void)snprintf(out, 512, "%.*s%s%s", (int)(hole - rule->prototype), rule->prototype,
                   s->name, hole + 2);
    return out;
}

static void report_entry(const entry_search *s, const entry_rule *rule, LLVMValueRef value,
                         const char *problem)
{
    char place[TCI_PLACE_MAX], prototype[512];
    if (value != NULL)
        tci_source_place_of(value, s->origin, place);
    else
        (void)snprintf(place, sizeof place, "%s", s->origin);
    tci_text_list_format(s->findings, "%s: error: '%s%s' %s; expected '%s'", place, s->name,
                         rule->suffix, problem, prototype_of(s, rule, prototype));
}

static bool type_matches(LLVMTypeRef type, char code)
{
    switch (code) {
    case 'v':
        return LLVMGetTypeKind(type) == LLVMVoidTypeKind;
    case 'p':
        return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
               LLVMGetPointerAddressSpace(type) == 0;
    case 's':
        return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
    default:
        return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
    }
}

static bool signature_matches(const entry_rule *rule, LLVMTypeRef type)
{
    LLVMTypeRef parameters[PARAMETERS_MAX];
    size_t count = strlen(rule->parameters);
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != count ||
        !type_matches(LLVMGetReturnType(type), rule->result))
        return false;
    LLVMGetParamTypes(type, parameters);
    for (size_t i = 0; i < count; i++) {
        if (!type_matches(parameters[i], rule->parameters[i]))
            return false;
    }
    return true;
}

static void check_function(const entry_search *s, const entry_rule *rule, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMLinkage linkage = LLVMGetLinkage(function);
    if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
        report_entry(s, rule, function, "is static");
    if (LLVMGetFunctionCallConv(function) != LLVMCCallConv &&
        LLVMGetFunctionCallConv(function) != LLVMX8664SysVCallConv)
        report_entry(s, rule, function, "has another calling convention than C's");
    if (signature_matches(rule, type))
        return;
    char problem[512];
    char *found = LLVMPrintTypeToString(type);
    (void)snprintf(problem, sizeof problem, "has the wrong signature: found %.400s", found);
    LLVMDisposeMessage(found);
    report_entry(s, rule, function, problem);
}

/* A function under another name is the usual reason for a missing NAME_main, so those are
 * listed. */
static void report_missing_main(const entry_search *s)
{
    char problem[512] = "is not defined";
    size_t used = strlen(problem);
    for (LLVMValueRef f = LLVMGetFirstFunction(s->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        size_t size = 0;
        const char *name = LLVMGetValueName2(f, &size);
        if (LLVMIsDeclaration(f) || size < 5 || memcmp(name + size - 5, "_main", 5) != 0 ||
            size > 100 || used + size + 16 > sizeof problem)
            continue;
        const char *before = used == strlen("is not defined") ? ", found " : ", ";
        used += (size_t)snprintf(problem + used, sizeof problem - used, "%s'%.*s'", before,
                                 (int)size, name);
    }
    report_entry(s, &rules[0], NULL, problem);
}

/* Finds the entry as a C++ function of the global namespace: "_Z8foo_main" and its
 * parameters. */
static LLVMValueRef find_mangled(const entry_search *s, const char *symbol)
{
    char prefix[SYMBOL_MAX + 32];
    int length = snprintf(prefix, sizeof prefix, "_Z%zu%s", strlen(symbol), symbol);
    for (LLVMValueRef f = LLVMGetFirstFunction(s->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        size_t size = 0;
        const char *name = LLVMGetValueName2(f, &size);
        if (!LLVMIsDeclaration(f) && size >= (size_t)length &&
            memcmp(name, prefix, (size_t)length) == 0)
            return f;
    }
    return NULL;
}

static unsigned check_rule(const entry_search *s, const entry_rule *rule)
{
    char symbol[SYMBOL_MAX];
    (void)snprintf(symbol, sizeof symbol, "%s%s", s->name, rule->suffix);
    LLVMValueRef function = LLVMGetNamedFunction(s->module, symbol);
    if (function != NULL && !LLVMIsDeclaration(function)) {
        check_function(s, rule, function);
        return rule->bit;
    }
    LLVMValueRef variable = LLVMGetNamedGlobal(s->module, symbol);
    LLVMValueRef alias = LLVMGetNamedGlobalAlias(s->module, symbol, strlen(symbol));
    LLVMValueRef mangled = find_mangled(s, symbol);
    if (mangled != NULL)
        report_entry(s, rule, mangled, "is not declared extern \"C\"");
    else if (variable != NULL)
        report_entry(s, rule, variable, "is a variable");
    else if (alias != NULL)
        report_entry(s, rule, LLVMAliasGetAliasee(alias), "is an alias, not a function");
    else if (function != NULL)
        report_entry(s, rule, function, "is declared but not defined");
    else if (rule->bit == TCI_ENTRY_MAIN)
        report_missing_main(s);
    return 0;
}

static bool is_original(const entry_search *s)
{
    char symbol[SYMBOL_MAX];
    (void)snprintf(symbol, sizeof symbol, "%s%s", s->name, original_rules[1].suffix);
    LLVMValueRef function = LLVMGetNamedFunction(s->module, symbol);
    return function != NULL && !LLVMIsDeclaration(function);
}

unsigned tci_ship_checks_of_entries(LLVMModuleRef module, const char *name, const char *origin,
                                    tci_text_list *findings)
{
    entry_search s = {.module = module, .name = name, .origin = origin, .findings = findings};
    unsigned entries = 0;
    const entry_rule *wanted = is_original(&s) ? original_rules : rules;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        entries |= check_rule(&s, &wanted[i]);
    if (((entries & TCI_ENTRY_MAX_SIZE) != 0) != ((entries & TCI_ENTRY_INIT) != 0)) {
        const entry_rule *missing = (entries & TCI_ENTRY_INIT) != 0 ? &wanted[1] : &wanted[2];
        const char *present = (missing == &wanted[1] ? &wanted[2] : &wanted[1])->suffix;
        char problem[256];
        (void)snprintf(problem, sizeof problem,
                       "is missing though '%s%s' is defined: both or neither", name, present);
        report_entry(&s, missing, NULL, problem);
    }
    return wanted == original_rules ? entries | TCI_ENTRY_ORIGINAL : entries;
}
