#include "static_objects.h"

#include "source_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A constructor calls one for each variable, and an address nests in expressions: real code a few
 * deep. */
enum { CALL_DEPTH_MAX = 3, EXPRESSION_DEPTH_MAX = 8 };

typedef struct object_search {
    const char *origin;
    tci_text_list *findings;
    bool found;
} object_search;

static bool is_written_by_compiler(LLVMValueRef function)
{
    static const char *const prefixes[] = {"_GLOBAL__", "__cxx_global_var_init"};
    size_t size = 0;
    const char *name = LLVMGetValueName2(function, &size);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

/* "_ZL5table", which is what the compiler makes of "static T table", is shown as it was written. */
static int written_name(const char *symbol, const char **name_out)
{
    char *behind;
    *name_out = symbol;
    if (strncmp(symbol, "_ZL", 3) != 0)
        return (int)strlen(symbol);
    unsigned long size = strtoul(symbol + 3, &behind, 10);
    if (size == 0 || size > strlen(behind))
        return (int)strlen(symbol);
    *name_out = behind;
    return (int)size;
}

/* What says that a variable has been made already is none that somebody wrote. */
static bool is_object(LLVMValueRef variable)
{
    const char *symbol = LLVMGetValueName(variable);
    return !LLVMIsDeclaration(variable) && !LLVMIsGlobalConstant(variable) &&
           strncmp(symbol, "_ZGV", 4) != 0 && symbol[0] != '.' && symbol[0] != '\0';
}

static void report(object_search *s, LLVMValueRef variable)
{
    char place[TCI_PLACE_MAX];
    char line[TCI_PLACE_MAX + 512];
    const char *name;
    int size = written_name(LLVMGetValueName(variable), &name);
    tci_source_place_of(variable, s->origin, place);
    (void)snprintf(
        line, sizeof line,
        "%s: error: variable '%.*s' has a constructor, and nothing would run it; make it "
        "constexpr, or the first call: static T &x = *new T inside a function",
        place, size > 200 ? 200 : size, name);
    tci_text_list_add_once(s->findings, line);
    s->found = true;
}

static void look_at(object_search *s, LLVMValueRef value, int depth)
{
    if (LLVMIsAGlobalVariable(value) != NULL) {
        if (is_object(value))
            report(s, value);
    } else if (LLVMIsAConstantExpr(value) != NULL && depth > 0) {
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            look_at(s, LLVMGetOperand(value, (unsigned)i), depth - 1);
    }
}

static void look_into(object_search *s, LLVMValueRef function, int depth)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
                if (LLVMIsAFunction(operand) == NULL)
                    look_at(s, operand, EXPRESSION_DEPTH_MAX);
                else if (depth > 0 && is_written_by_compiler(operand))
                    look_into(s, operand, depth - 1);
            }
        }
    }
}

bool tci_static_objects_report(LLVMValueRef constructor, const char *origin,
                               tci_text_list *findings)
{
    object_search s = {.origin = origin, .findings = findings};
    if (LLVMIsAFunction(constructor) != NULL && is_written_by_compiler(constructor))
        look_into(&s, constructor, CALL_DEPTH_MAX);
    return s.found;
}
