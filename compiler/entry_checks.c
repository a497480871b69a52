/* The entry points: the half of the ship checks that needs the function's name. */
#include "entry_checks.h"

#include "archive.h"
#include "source_place.h"

#include <stdio.h>
#include <string.h>

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

/* The same of the original's API, which NAME_payload_bound shows. */
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

static void report(const entry_search *s, const entry_rule *rule, LLVMValueRef value,
                   const char *problem)
{
    char place[TCI_PLACE_MAX];
    char prototype[512];
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
    if (LLVMGetLinkage(function) == LLVMInternalLinkage ||
        LLVMGetLinkage(function) == LLVMPrivateLinkage)
        report(s, rule, function, "is static");
    if (signature_matches(rule, type))
        return;
    char problem[512];
    char *found = LLVMPrintTypeToString(type);
    (void)snprintf(problem, sizeof problem, "has the wrong signature: found %.400s", found);
    LLVMDisposeMessage(found);
    report(s, rule, function, problem);
}

/* A function under another name is the usual reason for a missing NAME_main, so those are
 * shown. */
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
        used += (size_t)snprintf(problem + used, sizeof problem - used, "%s'%.*s'",
                                 used == strlen("is not defined") ? ", found " : ", ",
                                 (int)size, name);
    }
    report(s, &rules[0], NULL, problem);
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
    if (variable != NULL)
        report(s, rule, variable, "is a variable");
    else if (alias != NULL)
        report(s, rule, LLVMAliasGetAliasee(alias), "is an alias, not a function");
    else if (function != NULL)
        report(s, rule, function, "is declared but not defined");
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

unsigned tci_entry_checks_run(LLVMModuleRef module, const char *name, const char *origin,
                              tci_text_list *findings)
{
    entry_search s = {.module = module, .name = name, .origin = origin, .findings = findings};
    unsigned entries = 0;
    bool original = is_original(&s);
    const entry_rule *wanted = original ? original_rules : rules;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        entries |= check_rule(&s, &wanted[i]);
    if (((entries & TCI_ENTRY_MAX_SIZE) != 0) != ((entries & TCI_ENTRY_INIT) != 0)) {
        const entry_rule *missing = (entries & TCI_ENTRY_INIT) != 0 ? &wanted[1] : &wanted[2];
        const entry_rule *present = missing == &wanted[1] ? &wanted[2] : &wanted[1];
        char problem[256];
        (void)snprintf(problem, sizeof problem,
                       "is missing though '%s%s' is defined: both or neither", name,
                       present->suffix);
        report(&s, missing, NULL, problem);
    }
    return original ? entries | TCI_ENTRY_ORIGINAL : entries;
}
