/* Collects constructors and destructors from LLVM's arrays and from sections, then links
 * NAME.life, which is written in LLVM's assembly text. */
#include "code_life.h"

#include "archive.h"
#include "base/error_text.h"
#include "module_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SYMBOL_MAX = TCI_ARCHIVE_NAME_MAX + sizeof TCI_LIFE_SUFFIX,
    TEXT_MAX = 4096,
    PRIORITY_DEFAULT = 65535 /* of functions without an explicit one */
};

#define CONSTRUCTORS "tc.constructors"
#define DESTRUCTORS "tc.destructors"
#define ENDS "tc.ends"

/* --- the list of functions --------------------------------------------------------------- */

#define STEPS_MAX 65536u

typedef struct step {
    unsigned long priority; /* the lower one is constructed first, and destructed last */
    size_t order;           /* in the module */
    LLVMValueRef function;
} step;

typedef struct step_list {
    step *items;
    size_t count;
    size_t capacity;
    bool failed; /* no memory */
} step_list;

static void add_step(step_list *list, unsigned long priority, LLVMValueRef function)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity * 2 + 16;
        /* bound: STEPS_MAX */
        step *items =
            list->count < STEPS_MAX ? realloc(list->items, capacity * sizeof *items) : NULL;
        if (items == NULL) {
            list->failed = true;
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count] = (step){priority, list->count, function};
    list->count++;
}

static int compare_steps(const void *left, const void *right)
{
    const step *a = left, *b = right;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* The rows hold {priority, function, data}. */
static void take_array(LLVMModuleRef module, const char *array, step_list *list)
{
    LLVMValueRef v = LLVMGetNamedGlobal(module, array);
    LLVMValueRef rows = v != NULL ? LLVMGetInitializer(v) : NULL;
    if (v == NULL)
        return;
    const int count =
        rows != NULL && LLVMIsAConstantArray(rows) != NULL ? LLVMGetNumOperands(rows) : 0;
    for (int i = 0; i < count; i++) {
        LLVMValueRef row = LLVMGetOperand(rows, (unsigned)i);
        LLVMValueRef function = LLVMGetNumOperands(row) >= 2 ? LLVMGetOperand(row, 1)
                                                             : LLVMConstNull(LLVMTypeOf(row));
        if (!LLVMIsNull(function))
            add_step(list, (unsigned long)LLVMConstIntGetZExtValue(LLVMGetOperand(row, 0)),
                     function);
    }
    LLVMDeleteGlobal(v);
}

static void take_pointers(LLVMValueRef value, unsigned long priority, step_list *list)
{
    const bool is_list =
        LLVMIsAConstantArray(value) != NULL || LLVMIsAConstantStruct(value) != NULL;
    if (!is_list && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind &&
        !LLVMIsNull(value))
        add_step(list, priority, value);
    for (int i = 0; is_list && i < LLVMGetNumOperands(value); i++)
        take_pointers(LLVMGetOperand(value, (unsigned)i), priority, list);
}

/* Takes those that were written by hand or by rustc: variables in ".init_array" or
 * ".init_array.PRIORITY". They become unused constants. */
static void take_section(LLVMModuleRef module, const char *name, step_list *list)
{
    const size_t size = strlen(name);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        const char *section = LLVMGetSection(v);
        if (section == NULL || strncmp(section, name, size) != 0 || LLVMIsDeclaration(v) ||
            (section[size] != '\0' && section[size] != '.'))
            continue;
        unsigned long priority =
            section[size] == '.' ? strtoul(section + size + 1, NULL, 10) : PRIORITY_DEFAULT;
        take_pointers(LLVMGetInitializer(v), priority, list);
        LLVMSetSection(v, "");
    }
}

/* --- the function that calls them -------------------------------------------------------- */

/* Passes zeros as arguments: loaders of programs pass those of main. */
static void call_step(LLVMBuilderRef builder, LLVMContextRef context, LLVMValueRef function)
{
    LLVMTypeRef parameters[8], type;
    LLVMValueRef arguments[8];
    type = LLVMIsAGlobalValue(function) != NULL ? LLVMGlobalGetValueType(function) : NULL;
    if (type == NULL || LLVMGetTypeKind(type) != LLVMFunctionTypeKind ||
        LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) > 8)
        type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    const unsigned count = LLVMCountParamTypes(type);
    LLVMGetParamTypes(type, parameters);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMConstNull(parameters[i]);
    (void)LLVMBuildCall2(builder, type, function, arguments, count, "");
}

static void define_calls(LLVMModuleRef module, const char *symbol, step_list *list,
                         bool reversed)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(module, symbol, type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_steps);
    for (size_t i = 0; i < list->count; i++)
        call_step(builder, context, list->items[reversed ? list->count - 1 - i : i].function);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

/* --- functions that are registered for the end ------------------------------------------- */

/* Functions of the C library or of C++'s, and their replacements. Thread-local variables live
 * as long as the code (thread_locals.h), so functions for their end are registered in the same
 * list. */
static const struct registrar {
    const char *name;
    const char *own;
} registrars[] = {
    {"__cxa_atexit", "tc.at.end"},
    {"__cxa_thread_atexit", "tc.at.end"},
    {"__cxa_thread_atexit_impl", "tc.at.end"},
    {"atexit", "tc.at.exit"},
};

static LLVMValueRef declared(LLVMModuleRef module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function != NULL && LLVMIsDeclaration(function) && LLVMGetFirstUse(function) != NULL
               ? function
               : NULL;
}

static bool has_ends(LLVMModuleRef module)
{
    for (size_t i = 0; i < sizeof registrars / sizeof registrars[0]; i++) {
        if (declared(module, registrars[i].name) != NULL)
            return true;
    }
    return false;
}

/* Nodes of {next, function, argument}. Threads of the code may register at the same time. */
static const char ends_text[] =
    "@" ENDS " = global ptr null\n"
    "declare ptr @malloc(i64)\n"
    "declare void @free(ptr)\n"
    "define i32 @tc.at.end(ptr %function, ptr %argument, ptr %owner) nounwind {\n"
    "  %node = call ptr @malloc(i64 24)\n"
    "  %none = icmp eq ptr %node, null\n"
    "  br i1 %none, label %failed, label %fill\n"
    "failed:\n"
    "  ret i32 -1\n"
    "fill:\n"
    "  %function.at = getelementptr i8, ptr %node, i64 8\n"
    "  store ptr %function, ptr %function.at\n"
    "  %argument.at = getelementptr i8, ptr %node, i64 16\n"
    "  store ptr %argument, ptr %argument.at\n"
    "  %first = load atomic ptr, ptr @" ENDS " monotonic, align 8\n"
    "  br label %try\n"
    "try:\n"
    "  %expected = phi ptr [ %first, %fill ], [ %found, %try ]\n"
    "  store ptr %expected, ptr %node\n"
    "  %pair = cmpxchg ptr @" ENDS ", ptr %expected, ptr %node acq_rel monotonic\n"
    "  %found = extractvalue { ptr, i1 } %pair, 0\n"
    "  %done = extractvalue { ptr, i1 } %pair, 1\n"
    "  br i1 %done, label %added, label %try\n"
    "added:\n"
    "  ret i32 0\n"
    "}\n"
    "define i32 @tc.at.exit(ptr %function) nounwind {\n"
    "  %result = call i32 @tc.at.end(ptr %function, ptr null, ptr null)\n"
    "  ret i32 %result\n"
    "}\n"
    "define void @tc.run.ends() {\n"
    "  br label %next\n"
    "next:\n"
    "  %node = load atomic ptr, ptr @" ENDS " acquire, align 8\n"
    "  %none = icmp eq ptr %node, null\n"
    "  br i1 %none, label %done, label %run\n"
    "run:\n"
    "  %behind = load ptr, ptr %node\n"
    "  %function.at = getelementptr i8, ptr %node, i64 8\n"
    "  %function = load ptr, ptr %function.at\n"
    "  %argument.at = getelementptr i8, ptr %node, i64 16\n"
    "  %argument = load ptr, ptr %argument.at\n"
    "  store atomic ptr %behind, ptr @" ENDS " release, align 8\n"
    "  call void @free(ptr %node)\n"
    "  call void %function(ptr %argument)\n"
    "  br label %next\n"
    "done:\n"
    "  ret void\n"
    "}\n";

static const char no_ends_text[] = "define void @tc.run.ends() {\n"
                                   "  ret void\n"
                                   "}\n";

/* %1$s the entry. */
static const char life_format[] = "declare void @" CONSTRUCTORS "()\n"
                                  "declare void @" DESTRUCTORS "()\n"
                                  "define i32 @\"%1$s\"(ptr %%text, i64 %%size) {\n"
                                  "  %%stops = icmp eq ptr %%text, null\n"
                                  "  br i1 %%stops, label %%stop, label %%start\n"
                                  "start:\n"
                                  "  call void @" CONSTRUCTORS "()\n"
                                  "  ret i32 0\n"
                                  "stop:\n"
                                  "  call void @tc.run.ends()\n"
                                  "  %%whole = icmp eq i64 %%size, 0\n"
                                  "  br i1 %%whole, label %%destruct, label %%done\n"
                                  "destruct:\n"
                                  "  call void @" DESTRUCTORS "()\n"
                                  "  ret i32 0\n"
                                  "done:\n"
                                  "  ret i32 0\n"
                                  "}\n";

static void make_internal(LLVMValueRef value)
{
    if (value != NULL)
        LLVMSetLinkage(value, LLVMInternalLinkage);
}

static void redirect_registrars(LLVMModuleRef module)
{
    LLVMValueRef owner = LLVMGetNamedGlobal(module, "__dso_handle");
    for (size_t i = 0; i < sizeof registrars / sizeof registrars[0]; i++) {
        LLVMValueRef function = declared(module, registrars[i].name);
        if (function == NULL)
            continue;
        LLVMReplaceAllUsesWith(function, LLVMGetNamedFunction(module, registrars[i].own));
        LLVMDeleteFunction(function);
    }
    /* The owner identifies a copy of the code, as the list's address does. */
    if (owner != NULL && LLVMIsDeclaration(owner)) {
        LLVMReplaceAllUsesWith(owner, LLVMGetNamedGlobal(module, ENDS));
        LLVMDeleteGlobal(owner);
    }
    LLVMValueRef plain = LLVMGetNamedFunction(module, "tc.at.exit");
    if (LLVMGetFirstUse(plain) == NULL)
        LLVMDeleteFunction(plain);
}

static tc_status define_life(LLVMModuleRef module, const char *symbol, tc_error *err)
{
    char text[TEXT_MAX];
    const bool ends = has_ends(module);
    int n = snprintf(text, sizeof text, "%s", ends ? ends_text : no_ends_text);
    n += snprintf(text + n, sizeof text - (size_t)n, life_format, symbol);
    TC_TRY(tci_module_text_link(module, "code that runs constructors", text, (size_t)n, err));
    if (ends)
        redirect_registrars(module);
    make_internal(LLVMGetNamedFunction(module, CONSTRUCTORS));
    make_internal(LLVMGetNamedFunction(module, DESTRUCTORS));
    make_internal(LLVMGetNamedFunction(module, "tc.run.ends"));
    make_internal(LLVMGetNamedFunction(module, "tc.at.end"));
    make_internal(LLVMGetNamedFunction(module, "tc.at.exit"));
    make_internal(LLVMGetNamedGlobal(module, ENDS));
    return TC_OK;
}

/* --- interface --------------------------------------------------------------------------- */

static void symbol_of(const char *name, char out[SYMBOL_MAX])
{
    (void)snprintf(out, SYMBOL_MAX, "%s" TCI_LIFE_SUFFIX, name);
}

tc_status tci_code_life_define(LLVMModuleRef module, const char *name, tc_error *err)
{
    char symbol[SYMBOL_MAX];
    step_list begin = {0}, end = {0};
    tc_status status = TC_OK;
    take_array(module, "llvm.global_ctors", &begin);
    take_array(module, "llvm.global_dtors", &end);
    take_section(module, ".init_array", &begin);
    take_section(module, ".fini_array", &end);
    if (begin.failed || end.failed)
        status =
            tci_error_set(err, TC_E_NO_MEMORY,
                          "no memory for the list of constructors, or more than %u", STEPS_MAX);
    else if (begin.count > 0 || end.count > 0 || has_ends(module)) {
        define_calls(module, CONSTRUCTORS, &begin, false);
        define_calls(module, DESTRUCTORS, &end, true);
        symbol_of(name, symbol);
        status = define_life(module, symbol, err);
    }
    free(begin.items);
    free(end.items);
    return status;
}

bool tci_code_life_is_defined(LLVMModuleRef module, const char *name)
{
    char symbol[SYMBOL_MAX];
    symbol_of(name, symbol);
    return LLVMGetNamedFunction(module, symbol) != NULL;
}
