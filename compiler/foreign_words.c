/* Symbols are compared by prefix with a table of languages' runtimes; those of Rust are decoded
 * first. */
#include "foreign_words.h"

#include "rust_name.h"
#include "source_place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- known symbols ----------------------------------------------------------------------- */

typedef struct word_row {
    const char *name; /* prefix of the symbol; for Rust, of the decoded name */
    const char *what;
    const char *advice;
    const char *libraries; /* one of these provides it; "a|b", prefixes of sonames */
    bool is_fatal;         /* without one of them no target has it */
    char next;             /* next character: D: a digit, U: upper case or '_'; 0: any */
} word_row;

#define RUST_PANIC                                                                             \
    "code that cannot panic has none: get() for [], checked_div() for /; or tc-rustc brings "  \
    "core along"
#define RUST_CORE "give #![no_std], and compile by tc-rustc, which brings core along"
#define RUST_ALLOC "a #![no_std] crate names one by #[global_allocator], such as malloc of libc"
#define JULIA                                                                                  \
    "only a node that embeds Julia (jl_init) has it; for others allocate nothing, throw "      \
    "nothing (@inbounds), call nothing that is not inlined"
#define PYTHON "compile in nopython mode, without objects, strings, lists and exceptions"
#define NUMBA "write into arrays of the payload and of target_args instead of making new ones"
#define CXX "a line libstdc++.so.6 in --deps FILE gives it to every node"
#define GCC "a line libgcc_s.so.1 in --deps FILE gives it to every node"
#define FORTRAN                                                                                \
    "keep input, output, stop and functions of strings out of it, or name a "                  \
    "shared library of it in --deps FILE"
#define D "compile with -betterC, or name libdruntime and libphobos in --deps FILE"

/* The first matching row is used. */
static const word_row rust_rows[] = {
    {"core::panicking::", "is a Rust panic", RUST_PANIC, "libstd-", true, 0},
    {"core::option::expect_failed", "is a Rust panic", RUST_PANIC, "libstd-", true, 0},
    {"core::option::unwrap_failed", "is a Rust panic", RUST_PANIC, "libstd-", true, 0},
    {"core::result::unwrap_failed", "is a Rust panic", RUST_PANIC, "libstd-", true, 0},
    {"core::slice::index::", "is a Rust panic", RUST_PANIC, "libstd-", true, 0},
    {"core::", "is a function of Rust's core that was not inlined", RUST_CORE, "libstd-", true,
     0},
    {"alloc::", "is of Rust's crate alloc", RUST_ALLOC, "libstd-", true, 0},
    {"std::", "is of Rust's standard library",
     "give #![no_std], or name the libstd-HASH.so of that rustc in --deps FILE", "libstd-",
     true, 0},
    {"__rustc::", "is what rustc makes for a whole program",
     "define #[panic_handler] in the crate and compile with -C panic=abort; " RUST_ALLOC,
     "libstd-", true, 0},
    {"", "is a Rust function that is not in the bitcode",
     "compile its crate with this one, or inline it (#[inline], -C codegen-units=1)", "libstd-",
     true, 0},
};

static const word_row rows[] = {
    {"rust_eh_personality", "is what unwinds Rust's panics",
     "compile with -C panic=abort, and define it where an older rustc names it even so",
     "libstd-", true, 0},
    {"rust_begin_unwind", "is the panic handler of a Rust program",
     "define #[panic_handler] in the crate, which is #![no_std]", "libstd-", true, 0},
    {"__rust_", "is Rust's allocator", RUST_ALLOC, "libstd-", true, 0},
    {"_R", "is a Rust function that is not in the bitcode", RUST_CORE, "libstd-", true, 'U'},

    {"jl_gc_", "is of Julia's garbage collector", JULIA, NULL, false, 0},
    {"jl_alloc_", "allocates by Julia's garbage collector", JULIA, NULL, false, 0},
    {"jl_box_", "allocates by Julia's garbage collector", JULIA, NULL, false, 0},
    {"jl_get_ptls_states", "keeps a frame for Julia's garbage collector", JULIA, NULL, false,
     0},
    {"jl_pgcstack", "keeps a frame for Julia's garbage collector", JULIA, NULL, false, 0},
    {"jl_get_pgcstack", "keeps a frame for Julia's garbage collector", JULIA, NULL, false, 0},
    {"jl_throw", "throws an exception of Julia's", JULIA, NULL, false, 0},
    {"jl_bounds_error", "throws an exception of Julia's", JULIA, NULL, false, 0},
    {"jl_error", "throws an exception of Julia's", JULIA, NULL, false, 0},
    {"jl_undefined_var_error", "throws an exception of Julia's", JULIA, NULL, false, 0},
    {"jl_type_error", "throws an exception of Julia's", JULIA, NULL, false, 0},
    {"jl_apply", "calls a method of Julia's that is chosen at run time", JULIA, NULL, false, 0},
    {"jl_invoke", "calls a method of Julia's that is not in the bitcode", JULIA, NULL, false,
     0},
    {"jl_", "is of Julia's runtime", JULIA, NULL, false, 0},
    {"ijl_", "is of Julia's runtime", JULIA, NULL, false, 0},
    {"jlplt_", "is a call of Julia's through a table of that process",
     "ccall by name only what is in libc or in a library of --deps FILE", NULL, true, 0},
    {"julia.", "is of Julia's compiler, and made code of by its own passes",
     "write the bitcode behind them: code_llvm(..., optimize=true, dump_module=true)", NULL,
     true, 0},
    {"__julia_personality", "is of Julia's runtime", JULIA, NULL, false, 0},

    {"PyErr_", "raises a Python exception", PYTHON, "libpython", true, 0},
    {"Py", "is of the Python interpreter", PYTHON, "libpython", true, 'U'},
    {"_Py", "is of the Python interpreter", PYTHON, "libpython", true, 'U'},
    {"NRT_", "is of Numba's runtime, which allocates arrays", NUMBA, NULL, true, 0},
    {"numba_", "is a helper of Numba's, which is a part of its Python module", PYTHON, NULL,
     true, 0},

    {"_Znw", "is C++'s operator new", CXX, "libstdc++.so|libc++.so", false, 0},
    {"_Zna", "is C++'s operator new[]", CXX, "libstdc++.so|libc++.so", false, 0},
    {"_Zdl", "is C++'s operator delete", CXX, "libstdc++.so|libc++.so", false, 0},
    {"_Zda", "is C++'s operator delete[]", CXX, "libstdc++.so|libc++.so", false, 0},
    {"__gxx_personality_v0", "is what unwinds C++ exceptions", CXX, "libstdc++.so|libc++",
     false, 0},
    {"__cxa_", "is of C++'s exceptions and of its static variables inside functions", CXX,
     "libstdc++.so|libc++", false, 0},
    {"_ZTVN10__cxxabiv1", "is of C++'s types at run time", CXX, "libstdc++.so|libc++", false,
     0},
    {"_ZNSt3__1", "is of LLVM's C++ library", "a line libc++.so.1 in --deps FILE gives it",
     "libc++.so", false, 0},
    {"_ZNKSt3__1", "is of LLVM's C++ library", "a line libc++.so.1 in --deps FILE gives it",
     "libc++.so", false, 0},
    {"_ZNSt", "is of the C++ library", CXX, "libstdc++.so", false, 0},
    {"_ZNKSt", "is of the C++ library", CXX, "libstdc++.so", false, 0},
    {"_ZSt", "is of the C++ library", CXX, "libstdc++.so", false, 0},
    {"_ZTISt", "is of the C++ library", CXX, "libstdc++.so", false, 0},
    {"_ZTVSt", "is of the C++ library", CXX, "libstdc++.so", false, 0},
    {"_Unwind_", "unwinds the stack", GCC, "libgcc_s.so|libstdc++.so|libunwind.so", false, 0},
    {"__gcc_personality_v0", "unwinds the stack", GCC, "libgcc_s.so|libstdc++.so", false, 0},

    {"_FortranA", "is of flang's runtime", FORTRAN, "libFortranRuntime|libflang_rt", true, 0},
    {"_gfortran_", "is of gfortran's runtime",
     "a line libgfortran.so.5 in --deps FILE gives it", "libgfortran.so", false, 0},

    {"_d_eh_", "is what unwinds D's exceptions", D, "libdruntime", true, 0},
    {"_d_", "is of D's runtime", D, "libdruntime", true, 0},
    {"_D4core", "is of D's runtime", D, "libdruntime", true, 0},
    {"_D6object", "is of D's runtime", D, "libdruntime", true, 0},
    {"_D2rt", "is of D's runtime", D, "libdruntime", true, 0},
    {"_D3ldc", "is of D's runtime", D, "libdruntime", true, 0},
    {"_D3std", "is of Phobos, D's library", D, "libphobos", true, 0},
    {"_D", "is a D function that is not in the bitcode", "compile its module with this one",
     NULL, true, 'D'},
};

static bool begins(const char *text, const char *with, size_t size)
{
    return strncmp(text, with, size) == 0;
}

static bool fits(const word_row *row, const char *name)
{
    const size_t size = strlen(row->name);
    if (!begins(name, row->name, size))
        return false;
    const unsigned char next = (unsigned char)name[size];
    return row->next == 0 || (row->next == 'D' ? isdigit(next) : isupper(next) || next == '_');
}

static const word_row *find_row(const word_row *row, size_t count, const char *name)
{
    const word_row *end = row + count;
    while (row < end && !fits(row, name))
        row++;
    return row < end ? row : NULL;
}

static bool is_given(const word_row *row, const tci_text_list *libraries)
{
    const char *at = row->libraries;
    while (at != NULL && *at != '\0') {
        size_t size = strcspn(at, "|");
        for (size_t i = 0; i < libraries->count; i++) {
            const char *slash = strrchr(libraries->items[i], '/');
            if (begins(slash != NULL ? slash + 1 : libraries->items[i], at, size))
                return true;
        }
        at += size + (at[size] == '|');
    }
    return false;
}

void tci_foreign_words_of_symbols(const tci_text_list *symbols, const tci_text_list *libraries,
                                  const char *origin, tci_text_list *errors,
                                  tci_text_list *warnings)
{
    char words[TCI_RUST_NAME_MAX];
    for (size_t i = 0; i < symbols->count; i++) {
        const char *name = symbols->items[i];
        const bool is_rust = tci_rust_name_read(name, words);
        const word_row *row =
            is_rust ? find_row(rust_rows, sizeof rust_rows / sizeof rust_rows[0], words)
                    : find_row(rows, sizeof rows / sizeof rows[0], name);
        if (row == NULL || is_given(row, libraries))
            continue;
        tci_text_list_format(row->is_fatal ? errors : warnings, "%s: %s: '%.*s' %s; %s", origin,
                             row->is_fatal ? "error" : "warning", TCI_RUST_NAME_MAX,
                             is_rust ? words : name, row->what, row->advice);
    }
}

/* --- modules ----------------------------------------------------------------------------- */

static bool has_part(const char *text, size_t size, const char *part)
{
    const size_t part_size = strlen(part);
    for (size_t i = 0; i + part_size <= size; i++) {
        if (memcmp(text + i, part, part_size) == 0)
            return true;
    }
    return false;
}

/* Searches the names that compilers give themselves: "Debian clang version 19.1.7". */
static bool is_made_by(LLVMModuleRef module, const char *compiler)
{
    LLVMValueRef names[8];
    const unsigned count = LLVMGetNamedMetadataNumOperands(module, "llvm.ident");
    if (count == 0 || count > sizeof names / sizeof names[0])
        return false;
    LLVMGetNamedMetadataOperands(module, "llvm.ident", names);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef text = NULL;
        unsigned size = 0;
        if (LLVMIsAMDNode(names[i]) != NULL && LLVMGetMDNodeNumOperands(names[i]) == 1)
            LLVMGetMDNodeOperands(names[i], &text);
        const char *ident = text != NULL ? LLVMGetMDString(text, &size) : NULL;
        if (ident != NULL && has_part(ident, size, compiler))
            return true;
    }
    return false;
}

static void check_collectors(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    char place[TCI_PLACE_MAX];
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t size = 0;
        const char *collector = LLVMGetGC(f);
        if (collector == NULL)
            continue;
        const char *name = LLVMGetValueName2(f, &size);
        tci_source_place_of(f, origin, place);
        tci_text_list_format(findings,
                             "%s: error: function '%.*s' wants the garbage collector '%s' "
                             "(attribute gc), and a node has none; compile without it",
                             place, (int)(size > 200 ? 200 : size), name, collector);
    }
}

/* --- addresses as numbers ---------------------------------------------------------------- */

/* Range of addresses in a process, on either architecture; numbers outside it are marks. */
#define ADDRESS_MIN ((unsigned long long)1 << 32)
#define ADDRESS_MAX ((unsigned long long)1 << 47)
#define NESTED_MAX 16

static bool is_to_pointer(LLVMValueRef value)
{
    return (LLVMIsAConstantExpr(value) != NULL && LLVMGetConstOpcode(value) == LLVMIntToPtr) ||
           LLVMIsAIntToPtrInst(value) != NULL;
}

/* Returns 0 when the value contains no such number. */
static unsigned long long address_in(LLVMValueRef value, unsigned nested)
{
    unsigned long long found = 0;
    if (nested == NESTED_MAX || (nested > 0 && LLVMIsAConstant(value) == NULL) ||
        LLVMIsAGlobalValue(value) != NULL)
        return 0;
    const int count = LLVMGetNumOperands(value);
    LLVMValueRef first = count > 0 ? LLVMGetOperand(value, 0) : NULL;
    if (first != NULL && is_to_pointer(value) && LLVMIsAConstantInt(first) != NULL &&
        LLVMGetIntTypeWidth(LLVMTypeOf(first)) == 64) {
        found = LLVMConstIntGetZExtValue(first);
        return found >= ADDRESS_MIN && found < ADDRESS_MAX ? found : 0;
    }
    for (int i = 0; i < count && found == 0; i++)
        found = address_in(LLVMGetOperand(value, (unsigned)i), nested + 1);
    return found;
}

static void check_addresses(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    char place[TCI_PLACE_MAX], line[TCI_PLACE_MAX + 256];
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL;
                 i = LLVMGetNextInstruction(i)) {
                const unsigned long long address = address_in(i, 0);
                if (address == 0)
                    continue;
                tci_source_place_of(i, origin, place);
                (void)snprintf(
                    line, sizeof line,
                    "%s: error: the address 0x%llx stands in the code as a number, as "
                    "compilers just in time write it: it is one of the process that "
                    "compiled; have it leave a name, or keep such objects out",
                    place, address);
                tci_text_list_add_once(findings, line);
            }
        }
    }
}

/* Adds notes to the findings that refuse a module: runtime code that the compiler put into it,
 * such as the assembly in D's templates, explains less than the functions that this code
 * calls. */
static void note_runtimes(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t size = 0;
        const char *name = LLVMGetValueName2(f, &size);
        const bool is_called = LLVMIsDeclaration(f) && LLVMGetFirstUse(f) != NULL;
        const word_row *row =
            is_called ? find_row(rows, sizeof rows / sizeof rows[0], name) : NULL;
        if (row != NULL && row->is_fatal)
            tci_text_list_format(findings, "%s: note: '%.*s' %s; %s", origin, TCI_RUST_NAME_MAX,
                                 name, row->what, row->advice);
    }
}

void tci_foreign_words_of_module(LLVMModuleRef module, const char *origin,
                                 tci_text_list *findings)
{
    check_collectors(module, origin, findings);
    if (!is_made_by(module, "clang version")) /* in C the author wrote the number */
        check_addresses(module, origin, findings);
    if (LLVMGetNamedFunction(module, "ldc.register_dso") != NULL)
        tci_text_list_format(
            findings,
            "%s: error: constructor 'ldc.register_dso' registers the module at "
            "D's runtime, which no target has; -betterC does without, and "
            "without shared static this()",
            origin);
    if (findings->count > 0)
        note_runtimes(module, origin, findings);
}
