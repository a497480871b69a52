/* The guard is LLVM assembly text that is linked to the module and takes the entry's name; the
 * entry becomes an internal function behind it. */
#include "exception_guard.h"

#include "archive.h"
#include "base/error_text.h"
#include "module_text.h"
#include "rust_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SYMBOL_MAX = TCI_ARCHIVE_NAME_MAX + 32, TEXT_MAX = 4096, PARAMETERS_MAX = 4 };

#define BODY_PREFIX "tc.unguarded."

/* Signature of an entry. The parameters: p for a pointer, s for 64 bits. */
typedef struct guard_row {
    const char *suffix;
    const char *parameters;
    const char *result; /* LLVM's type */
    const char *failed; /* result when something was thrown */
    const char *tell;   /* code that reports the reason; NULL: no receiver */
    bool is_passed;     /* the module passes its address, which has to be the guard's */
} guard_row;

/* Uses of the exception's words: a message fails with them, or the load that runs constructors
 * has a buffer for them. The number is TC_E_THROWN, as text. */
#define THROWN_TEXT "-25"
_Static_assert(TC_E_THROWN == -25, "the text above");
static const char tell_message[] =
    "%text = alloca [400 x i8]\n"
    "  call void @\"tc.exception\"(ptr %thrown.at, ptr %object, i1 %speaks, ptr %text, "
    "i64 400)\n"
    "  call void @tc_self_fail(i32 " THROWN_TEXT ", ptr %text)\n";

static const char tell_load[] =
    "call void @\"tc.exception\"(ptr %thrown.at, ptr %object, i1 %speaks, ptr %a, i64 %b)\n";

static const guard_row rows[] = {
    {"_main", "psp", "void", "", tell_message, false},
    {"_task", "psp", "void", "", tell_message, true}, /* the body of TC_THREADED */
    {"_payload_get_max_size", "ps", "i64", "-1", NULL, false},
    {"_payload_bound", "ps", "i64", "-1", NULL, false},
    {"_payload_init", "psps", "i32", "-1", NULL, false},
    {"_payload_init", "pspp", "i32", "-1", NULL, false}, /* of the original's API */
    {"_init", "", "i32", "-1", NULL, false},             /* of a library */
    {"_fini", "", "void", "", NULL, false},
    {TCI_LIFE_SUFFIX, "ps", "i32", "-1", tell_load, false},
};

/* --- guarded entries --------------------------------------------------------------------- */

static bool is_nounwind(LLVMValueRef function)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
    return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       kind) != NULL;
}

/* Older versions of rustc begin names as C++ does. Their panics stop at the boundary by
 * themselves. */
static bool is_rust(const char *name)
{
    char words[TCI_RUST_NAME_MAX];
    return tci_rust_name_read(name, words);
}

/* Returns whether the module uses a function of C++'s library that may throw. */
static bool throws(LLVMModuleRef module)
{
    static const char *const prefixes[] = {"_Z", "__cxa_", "__gxx_"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
            if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) != NULL && !is_nounwind(f) &&
                strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 && !is_rust(name))
                return true;
        }
    }
    return false;
}

static bool is_parameter(LLVMTypeRef type, char code)
{
    return code == 'p' ? LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
                             LLVMGetPointerAddressSpace(type) == 0
                       : LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                             LLVMGetIntTypeWidth(type) == 64;
}

static bool is_result(LLVMTypeRef type, const char *result)
{
    unsigned bits = strcmp(result, "i64") == 0 ? 64 : 32;
    return strcmp(result, "void") == 0 ? LLVMGetTypeKind(type) == LLVMVoidTypeKind
                                       : LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                                             LLVMGetIntTypeWidth(type) == bits;
}

/* An entry with another signature is none: the ship checks report it. */
static bool fits(const guard_row *row, LLVMTypeRef type)
{
    LLVMTypeRef parameters[PARAMETERS_MAX];
    size_t count = strlen(row->parameters);
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != count ||
        !is_result(LLVMGetReturnType(type), row->result))
        return false;
    LLVMGetParamTypes(type, parameters);
    for (size_t i = 0; i < count; i++) {
        if (!is_parameter(parameters[i], row->parameters[i]))
            return false;
    }
    return true;
}

static LLVMValueRef find_entry(LLVMModuleRef module, const char *name, const guard_row *row,
                               char symbol[SYMBOL_MAX])
{
    (void)snprintf(symbol, SYMBOL_MAX, "%s%s", name, row->suffix);
    LLVMValueRef entry = LLVMGetNamedFunction(module, symbol);
    bool open = entry != NULL && !LLVMIsDeclaration(entry) && !is_nounwind(entry) &&
                LLVMGetLinkage(entry) != LLVMInternalLinkage &&
                fits(row, LLVMGlobalGetValueType(entry));
    return open ? entry : NULL;
}

/* --- the code ---------------------------------------------------------------------------- */

/* %1$s the entry, %2$s its parameters, %3$s the result's type, %4$s the assignment of the
 * result, %5$s the value returned, %6$s the result when something was thrown, %7$s the code
 * that runs then. */
static const char guard_format[] =
    "declare i32 @__gxx_personality_v0(...)\n"
    "declare ptr @__cxa_begin_catch(ptr) nounwind\n"
    "declare void @__cxa_end_catch() nounwind\n"
    "declare %3$s @\"" BODY_PREFIX "%1$s\"(%2$s)\n"
    "define %3$s @%1$s(%2$s) personality ptr @__gxx_personality_v0 {\n"
    "  %4$s invoke %3$s @\"" BODY_PREFIX "%1$s\"(%2$s) to label %%done unwind label %%thrown\n"
    "done:\n"
    "  ret %3$s %5$s\n"
    "thrown:\n"
    "  %7$s"
    "  call void @__cxa_end_catch()\n"
    "  ret %3$s %6$s\n"
    "}\n";

static const char silent[] = "%caught = landingpad { ptr, i32 } catch ptr null\n"
                             "  %thrown.at = extractvalue { ptr, i32 } %caught, 0\n"
                             "  %object = call ptr @__cxa_begin_catch(ptr %thrown.at)\n";

/* %1$s the intrinsic, %2$s the use of the words. */
static const char telling_format[] =
    "%%caught = landingpad { ptr, i32 } catch ptr @_ZTISt9exception catch ptr null\n"
    "  %%thrown.at = extractvalue { ptr, i32 } %%caught, 0\n"
    "  %%selector = extractvalue { ptr, i32 } %%caught, 1\n"
    "  %%standard = call i32 @%1$s(ptr @_ZTISt9exception)\n"
    "  %%speaks = icmp eq i32 %%selector, %%standard\n"
    "  %%object = call ptr @__cxa_begin_catch(ptr %%thrown.at)\n"
    "%2$s";

/* %1$s the intrinsic, %2$s the guard. */
static const char told_format[] =
    "@_ZTISt9exception = external constant ptr\n"
    "declare i32 @%1$s(ptr)\n"
    "declare void @tc_self_fail(i32, ptr) nounwind\n"
    "declare void @\"tc.exception\"(ptr, ptr, i1, ptr, i64) nounwind\n"
    "%2$s";

/* The first eight bytes of an exception are its vendor and language: GNUC++ and further bytes.
 * Only the type of such an exception is known. A type's name follows the pointer to its table
 * of functions. The third function of a std::exception's table returns its words. */
static const char words_text[] =
    "@tc.exception.said = private unnamed_addr constant [26 x i8] "
    "c\"the function threw %s: %s\\00\"\n"
    "@tc.exception.thrown = private unnamed_addr constant [22 x i8] "
    "c\"the function threw %s\\00\"\n"
    "@tc.exception.foreign = private unnamed_addr constant [44 x i8] "
    "c\"the function threw what is no C++ exception\\00\"\n"
    "declare ptr @__cxa_current_exception_type() nounwind\n"
    "declare ptr @__cxa_demangle(ptr, ptr, ptr, ptr) nounwind\n"
    "declare i32 @snprintf(ptr, i64, ptr, ...) nounwind\n"
    "declare void @free(ptr) nounwind\n"
    "define void @\"tc.exception\"(ptr %thrown, ptr %object, i1 %speaks, ptr %text, "
    "i64 %size) cold noinline nounwind {\n"
    "  %class = load i64, ptr %thrown\n"
    "  %vendor = lshr i64 %class, 8\n"
    "  %known = icmp eq i64 %vendor, 20070851454118699\n"
    "  br i1 %known, label %type, label %foreign\n"
    "foreign:\n"
    "  %k = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 %size, "
    "ptr @tc.exception.foreign)\n"
    "  ret void\n"
    "type:\n"
    "  %info = call ptr @__cxa_current_exception_type()\n"
    "  %name.at = getelementptr i8, ptr %info, i64 8\n"
    "  %name.raw = load ptr, ptr %name.at\n"
    "  %letter = load i8, ptr %name.raw\n"
    "  %local = icmp eq i8 %letter, 42\n" /* a star, which is not part of the name */
    "  %behind = getelementptr i8, ptr %name.raw, i64 1\n"
    "  %mangled = select i1 %local, ptr %behind, ptr %name.raw\n"
    "  %plain = call ptr @__cxa_demangle(ptr %mangled, ptr null, ptr null, ptr null)\n"
    "  %odd = icmp eq ptr %plain, null\n"
    "  %name = select i1 %odd, ptr %mangled, ptr %plain\n"
    "  br i1 %speaks, label %words, label %bare\n"
    "words:\n"
    "  %table = load ptr, ptr %object\n"
    "  %what.at = getelementptr ptr, ptr %table, i64 2\n"
    "  %what = load ptr, ptr %what.at\n"
    "  %said = call ptr %what(ptr %object)\n"
    "  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 %size, "
    "ptr @tc.exception.said, ptr %name, ptr %said)\n"
    "  br label %tell\n"
    "bare:\n"
    "  %m = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 %size, "
    "ptr @tc.exception.thrown, ptr %name)\n"
    "  br label %tell\n"
    "tell:\n"
    "  call void @free(ptr %plain)\n"
    "  ret void\n"
    "}\n";

/* LLVM 18 and older give the intrinsic no address space. */
static const char *typeid_intrinsic(void)
{
    static const char name[] = "llvm.eh.typeid.for";
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    return LLVMIntrinsicIsOverloaded(id) ? "llvm.eh.typeid.for.p0" : name;
}

static void write_list(const char *parameters, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; parameters[i] != '\0'; i++) {
        const char *type = parameters[i] == 'p' ? "ptr" : "i64";
        used += (size_t)snprintf(out + used, size - used, "%s%s %%%c", i > 0 ? ", " : "", type,
                                 (char)('a' + (int)i));
    }
}

static tc_status add_guard(LLVMModuleRef module, const guard_row *row, const char *symbol,
                           tc_error *err)
{
    static const char what[] = "guard against exceptions";
    char list[128], telling[1024], guard[TEXT_MAX], text[TEXT_MAX];
    bool gives = strcmp(row->result, "void") != 0;
    write_list(row->parameters, list, sizeof list);
    if (row->tell != NULL)
        (void)snprintf(telling, sizeof telling, telling_format, typeid_intrinsic(), row->tell);
    int n = snprintf(guard, sizeof guard, guard_format, symbol, list, row->result,
                     gives ? "%value =" : "", gives ? "%value" : "", row->failed,
                     row->tell != NULL ? telling : silent);
    if (row->tell == NULL)
        return tci_module_text_link(module, what, guard, (size_t)n, err);
    if (LLVMGetNamedFunction(module, "tc.exception") == NULL)
        TC_TRY(tci_module_text_link(module, what, words_text, sizeof words_text - 1, err));
    n = snprintf(text, sizeof text, told_format, typeid_intrinsic(), guard);
    return tci_module_text_link(module, what, text, (size_t)n, err);
}

/* --- the entry behind it ----------------------------------------------------------------- */

/* With other CPU attributes the entry could not be inlined into its guard. */
static void copy_cpu(LLVMValueRef from, LLVMValueRef to)
{
    static const char *const names[] = {"target-features", "target-cpu", "tune-cpu"};
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        LLVMAttributeRef attribute =
            LLVMGetStringAttributeAtIndex(from, index, names[i], (unsigned)strlen(names[i]));
        if (attribute != NULL)
            LLVMAddAttributeAtIndex(to, index, attribute);
    }
}

static void keep_apart(LLVMValueRef function)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", strlen("noinline"));
    LLVMAttributeRef attribute =
        LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, 0);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute);
}

static tc_status guard_entry(LLVMModuleRef module, const guard_row *row, const char *symbol,
                             LLVMValueRef entry, bool noinline, tc_error *err)
{
    char body[SYMBOL_MAX + sizeof BODY_PREFIX];
    int n = snprintf(body, sizeof body, BODY_PREFIX "%s", symbol);
    LLVMSetComdat(entry, NULL);
    LLVMSetLinkage(entry, LLVMExternalLinkage); /* until it is linked with its guard */
    LLVMSetValueName2(entry, body, (size_t)n);
    if (row->is_passed)
        LLVMReplaceAllUsesWith(entry,
                               LLVMAddFunction(module, symbol, LLVMGlobalGetValueType(entry)));
    TC_TRY(add_guard(module, row, symbol, err));
    LLVMSetLinkage(entry, LLVMInternalLinkage);
    copy_cpu(entry, LLVMGetNamedFunction(module, symbol));
    if (noinline)
        keep_apart(entry);
    return TC_OK;
}

tc_status tci_exception_guard_add(LLVMModuleRef module, const char *name, bool noinline,
                                  tc_error *err)
{
    char symbol[SYMBOL_MAX];
    if (!throws(module))
        return TC_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        LLVMValueRef entry = find_entry(module, name, &rows[i], symbol);
        if (entry != NULL)
            TC_TRY(guard_entry(module, &rows[i], symbol, entry, noinline, err));
    }
    LLVMValueRef words = LLVMGetNamedFunction(module, "tc.exception");
    if (words != NULL)
        LLVMSetLinkage(words, LLVMInternalLinkage);
    return TC_OK;
}
