/* Each source is parsed, checked and linked; the whole is completed once, then copied, shrunk
 * and written for each purpose. */
#include "ifunc_module.h"

#include "archive.h"
#include "base/error_text.h"
#include "code_life.h"
#include "engine/orc/bitcode_producer.h"
#include "engine/orc/llvm_compat.h"
#include "exception_guard.h"
#include "gnu_ifuncs.h"
#include "hole_variables.h"
#include "image_object.h"
#include "library_exports.h"
#include "minimise.h"
#include "module_copy.h"
#include "payload_request.h"
#include "name_checks.h"
#include "own_features.h"
#include "section_bounds.h"
#include "ship_checks.h"
#include "source_place.h"
#include "stack_probes.h"
#include "stream_need.h"
#include "thread_locals.h"
#include "wide_multiply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIPELINE_MAX = 32 };

typedef enum purpose { FOR_RECEIVER, FOR_IMAGE } purpose;

struct tci_ifunc_module {
    tci_ifunc_policy policy;
    tci_text_list *findings;
    LLVMContextRef context;
    LLVMModuleRef linked; /* NULL before the first piece */
    size_t pieces;
    tci_text_list exports;       /* of a library */
    bool has_raw;                /* at least one of them */
    bool completed;              /* the additions to the whole are made */
    char triple[TCI_TRIPLE_MAX]; /* of the first piece, normalised */
    char origin[256];            /* of the first piece */
    char diagnostics[512];       /* LLVM's errors since the last call into it, cut */
};

/* --- LLVM's errors, which it would print, and end the process ---------------------------- */

static void collect_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    tci_ifunc_module *module = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    size_t used = strlen(module->diagnostics);
    (void)snprintf(module->diagnostics + used, sizeof module->diagnostics - used, "%s%s",
                   used > 0 ? "; " : "", text);
    LLVMDisposeMessage(text);
}

static const char *diagnostics_or(const tci_ifunc_module *module, const char *otherwise)
{
    return module->diagnostics[0] != '\0' ? module->diagnostics : otherwise;
}

void tci_ifunc_code_fini(tci_ifunc_code *code)
{
    free(code->bytes);
    free(code->special_place);
    tci_text_list_fini(&code->symbols);
    tci_text_list_fini(&code->exports);
    memset(code, 0, sizeof *code);
}

tc_status tci_ifunc_module_create(const tci_ifunc_policy *policy, tci_text_list *findings,
                                  tci_ifunc_module **module_out, tc_error *err)
{
    tci_ifunc_module *module = calloc(1, sizeof *module);
    if (module == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a module");
    module->policy = *policy;
    module->findings = findings;
    module->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(module->context, collect_diagnostic, module);
    *module_out = module;
    return TC_OK;
}

void tci_ifunc_module_destroy(tci_ifunc_module *module)
{
    if (module == NULL)
        return;
    if (module->linked != NULL)
        LLVMDisposeModule(module->linked);
    tci_text_list_fini(&module->exports);
    LLVMContextDispose(module->context);
    free(module);
}

/* --- reading and linking ----------------------------------------------------------------- */

/* Accepts plain and wrapped bitcode. */
static bool looks_like_bitcode(const void *bytes, size_t size)
{
    return (size >= 2 && memcmp(bytes, "BC", 2) == 0) ||
           (size >= 4 && memcmp(bytes, "\xde\xc0\x17\x0b", 4) == 0);
}

static tc_status refuse_newer(const void *bytes, size_t size, tc_error *err)
{
    tci_producer producer;
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch);
    if (tci_bitcode_producer(bytes, size, &producer) && producer.major > major)
        return tci_error_set(
            err, TC_E_VERSION,
            "bitcode was written by %s, which is newer than the LLVM %u.%u.%u here; "
            "compile with LLVM %u or older, or take tools built with LLVM %u",
            producer.text, major, minor, patch, major, producer.major);
    return TC_OK;
}

static tc_status parse_bitcode(tci_ifunc_module *module, const void *bytes, size_t size,
                               LLVMModuleRef *piece_out, tc_error *err)
{
    TC_TRY(refuse_newer(bytes, size, err));
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange((const char *)bytes, size, "", false);
    const bool failed = LLVMParseBitcodeInContext2(module->context, buffer, piece_out) != 0;
    LLVMDisposeMemoryBuffer(buffer);
    if (failed || module->diagnostics[0] != '\0') {
        if (!failed)
            LLVMDisposeModule(*piece_out);
        return tci_error_set(err, TC_E_CORRUPT, "LLVM cannot read the bitcode: %s",
                             diagnostics_or(module, "no reason given"));
    }
    return TC_OK;
}

static tc_status parse_text(tci_ifunc_module *module, const void *bytes, size_t size,
                            LLVMModuleRef *piece_out, tc_error *err)
{
    char *message;
    bool ok = tci_llvm_parse_ir(module->context, bytes, size, piece_out, &message);
    if (!ok) {
        size_t line =
            message != NULL ? strcspn(message, "\n") : 0; /* the next ones show the position */
        (void)tci_error_set(err, TC_E_CORRUPT, "neither bitcode nor LLVM's assembly text: %.*s",
                            (int)line, message != NULL ? message : "");
    }
    LLVMDisposeMessage(message);
    return ok ? TC_OK : TC_E_CORRUPT;
}

static tc_status verify(LLVMModuleRef piece, tc_error *err)
{
    char *message = NULL;
    tc_status status = TC_OK;
    if (LLVMVerifyModule(piece, LLVMReturnStatusAction, &message))
        status = tci_error_set(err, TC_E_CORRUPT, "invalid code: %s", message);
    LLVMDisposeMessage(message);
    return status;
}

static tc_status check_triple(tci_ifunc_module *module, LLVMModuleRef piece, tc_error *err)
{
    char triple[TCI_TRIPLE_MAX];
    const char *text = LLVMGetTarget(piece);
    if (text[0] == '\0')
        return tci_error_set(err, TC_E_INVALID, "the module names no target triple");
    if (!tci_triple_normalise(text, strlen(text), triple))
        return tci_error_set(err, TC_E_INVALID, "unknown target triple '%s'", text);
    if (strstr(triple, "-linux") == NULL ||
        LLVMPointerSize(LLVMGetModuleDataLayout(piece)) != sizeof(uint64_t))
        return tci_error_set(err, TC_E_INVALID,
                             "target %s is not supported: expected Linux with addresses of 64 "
                             "bits",
                             text);
    if (module->pieces > 0 && strcmp(triple, module->triple) != 0)
        return tci_error_set(err, TC_E_INVALID, "target is %s, but %s is for %s", triple,
                             module->origin, module->triple);
    memcpy(module->triple, triple, sizeof triple);
    return TC_OK;
}

/* Returns the passes up to those that depend on a target's CPU or on other pieces. */
static const char *early_pipeline(const tci_ifunc_module *module, char out[PIPELINE_MAX])
{
    const char *kind = module->policy.opt_level == '0' ? "default" : "thinlto-pre-link";
    (void)snprintf(out, PIPELINE_MAX, "%s<O%c>", kind, module->policy.opt_level);
    return out;
}

/* Consumes piece. */
static tc_status link_piece(tci_ifunc_module *module, LLVMModuleRef piece, tc_error *err)
{
    if (module->linked == NULL) {
        module->linked = piece;
        return TC_OK;
    }
    if (LLVMLinkModules2(module->linked, piece) || module->diagnostics[0] != '\0')
        return tci_error_set(err, TC_E_COMPILE, "does not link: %s",
                             diagnostics_or(module, "no reason given"));
    return TC_OK;
}

/* Runs before the checks: code that optimising removes need not be shippable. */
static tc_status prepare_piece(tci_ifunc_module *module, const char *origin, bool is_raw,
                               LLVMModuleRef piece, tc_error *err)
{
    char pipeline[PIPELINE_MAX];
    TC_TRY(verify(piece, err));
    TC_TRY(check_triple(module, piece, err));
    if (!tci_ship_checks_of_bounds(piece, origin, module->findings))
        return tci_error_set(err, TC_E_UNSUPPORTED, "the code cannot be shipped");
    TC_TRY(tci_wide_multiply_define(piece, err));
    TC_TRY(tci_stream_need_lower(piece, err));
    if (!is_raw)
        return TC_OK;
    module->has_raw = true;
    return tci_minimise_optimise(piece, early_pipeline(module, pipeline), err);
}

static tc_status add_piece(tci_ifunc_module *module, const char *origin, bool is_raw,
                           const void *bytes, size_t size, tc_error *err)
{
    LLVMModuleRef piece = NULL;
    module->diagnostics[0] = '\0';
    tc_status status = (looks_like_bitcode(bytes, size) ? parse_bitcode : parse_text)(
        module, bytes, size, &piece, err);
    if (status == TC_OK) {
        status = prepare_piece(module, origin, is_raw, piece, err);
        if (status != TC_OK)
            LLVMDisposeModule(piece);
    }
    if (status == TC_OK) {
        tci_ship_checks_run(piece, origin, module->policy.allow_asm, module->findings);
        if (module->policy.for_image &&
            tci_image_object_knows(module->triple, module->policy.cpu_level))
            tci_ship_checks_of_image(piece, origin, module->findings);
        status = link_piece(module, piece, err);
    }
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", origin);
        return status;
    }
    if (module->pieces++ == 0)
        (void)snprintf(module->origin, sizeof module->origin, "%s", origin);
    return TC_OK;
}

tc_status tci_ifunc_module_add(tci_ifunc_module *module, const char *origin, const void *bytes,
                               size_t size, tc_error *err)
{
    return add_piece(module, origin, false, bytes, size, err);
}

tc_status tci_ifunc_module_add_raw(tci_ifunc_module *module, const char *origin,
                                   const void *bytes, size_t size, tc_error *err)
{
    return add_piece(module, origin, true, bytes, size, err);
}

/* --- writing ----------------------------------------------------------------------------- */

/* clang writes \1 before names that must not be decorated; the linker never sees it. */
static void add_symbol(tci_text_list *symbols, LLVMValueRef v)
{
    size_t size = 0;
    const char *name = LLVMGetValueName2(v, &size);
    if (size > 0 && name[0] == '\1') {
        name++;
        size--;
    }
    if (LLVMIsDeclaration(v) && LLVMGetLinkage(v) != LLVMExternalWeakLinkage &&
        LLVMGetFirstUse(v) != NULL && size > 0)
        tci_text_list_add_bytes(symbols, name, size);
}

static void collect_symbols(LLVMModuleRef module, tci_text_list *symbols)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMGetIntrinsicID(f) == 0)
            add_symbol(symbols, f);
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        add_symbol(symbols, v);
}

/* Returns the passes that remain once the pieces are one; NULL: none. */
static const char *pipeline_of(const tci_ifunc_module *module, purpose what_for,
                               char out[PIPELINE_MAX])
{
    bool for_image = what_for == FOR_IMAGE;
    if (module->policy.opt_level == '0' ||
        (module->pieces < 2 && !(for_image && module->has_raw)))
        return NULL;
    if (!for_image)
        return early_pipeline(module, out);
    (void)snprintf(out, PIPELINE_MAX, "default<O%c>", module->policy.opt_level);
    return out;
}

static tc_status write_code(LLVMModuleRef linked, tci_ifunc_code *code, tc_error *err)
{
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(linked);
    size_t size = LLVMGetBufferSize(buffer);
    tc_status status = TC_OK;
    if (size > TCI_ARCHIVE_SLICE_BYTES_MAX)
        status = tci_error_set(err, TC_E_TOO_LARGE,
                               "bitcode of %zu bytes, at most %u can be shipped", size,
                               TCI_ARCHIVE_SLICE_BYTES_MAX);
    else if ((code->bytes = malloc(size)) == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "no memory for %zu bytes of bitcode", size);
    else
        memcpy(code->bytes, LLVMGetBufferStart(buffer), size);
    code->size = size;
    LLVMDisposeMemoryBuffer(buffer);
    return status;
}

/* The result, in a context of its own. */
typedef struct small_module {
    LLVMContextRef context;
    LLVMModuleRef module;
} small_module;

/* Spoils `whole`. */
static tc_status shrink(tci_ifunc_module *module, purpose what_for, LLVMModuleRef whole,
                        small_module *made, tc_error *err)
{
    char pipeline[PIPELINE_MAX];
    TC_TRY(tci_minimise_internalise(whole, module->policy.name));
    TC_TRY(tci_minimise_optimise(whole, pipeline_of(module, what_for, pipeline), err));
    TC_TRY(tci_minimise_strip(whole, module->policy.keep_debug, made->context, &made->module,
                              err));
    TC_TRY(verify(made->module, err));
    if (module->diagnostics[0] != '\0')
        return tci_error_set(err, TC_E_COMPILE, "%s", module->diagnostics);
    return TC_OK;
}

static tc_status fill_code(LLVMModuleRef made, tci_ifunc_code *code, tc_error *err)
{
    unsigned major = 0, minor = 0, patch = 0;
    TC_TRY(write_code(made, code, err));
    collect_symbols(made, &code->symbols);
    if (code->symbols.failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the list of symbols");
    LLVMGetVersion(&major, &minor, &patch);
    code->producer_major = (uint8_t)major;
    code->producer_minor = (uint8_t)minor;
    code->producer_patch = (uint8_t)patch;
    return TC_OK;
}

static tc_status make_code(tci_ifunc_module *module, purpose what_for, tci_ifunc_code *code,
                           tc_error *err)
{
    small_module made = {LLVMContextCreate(), NULL};
    LLVMContextSetDiagnosticHandler(made.context, collect_diagnostic, module);
    module->diagnostics[0] = '\0';
    LLVMModuleRef whole = NULL;
    tc_status status = tci_module_copy(module->linked, module->context, &whole, err);
    if (status == TC_OK)
        status = shrink(module, what_for, whole, &made, err);
    if (status == TC_OK)
        status = fill_code(made.module, code, err);
    if (whole != NULL)
        LLVMDisposeModule(whole);
    if (made.module != NULL)
        LLVMDisposeModule(made.module);
    LLVMContextDispose(made.context);
    return status;
}

static tc_status complete(tci_ifunc_module *module, tc_error *err)
{
    const char *name = module->policy.name;
    if (module->linked == NULL)
        return tci_error_set(err, TC_E_INVALID, "no code was given");
    TC_TRY(tci_section_bounds_define(module->linked, err));
    TC_TRY(tci_gnu_ifuncs_lower(module->linked, err));
    tci_thread_locals_check(module->linked, module->origin, module->findings);
    tci_thread_locals_lower(module->linked);
    TC_TRY(tci_code_life_define(module->linked, name, err));
    TC_TRY(tci_exception_guard_add(module->linked, name, module->policy.keep_debug, err));
    tci_stack_probes_add(module->linked);
    if (module->policy.is_library)
        tci_library_exports_define(module->linked, name, module->origin, &module->exports,
                                   module->findings);
    module->completed = true;
    return TC_OK;
}

static tc_status finish(tci_ifunc_module *module, purpose what_for, tci_ifunc_code *code_out,
                        tc_error *err)
{
    if (!module->completed)
        TC_TRY(complete(module, err));
    tci_ifunc_code code = {.form = TCI_FORM_BITCODE, .cpu_level = module->policy.cpu_level};
    memcpy(code.triple, module->triple, sizeof code.triple);
    code.entries = tci_ship_checks_of_entries(module->linked, module->policy.name,
                                              module->origin, module->findings);
    if (tci_code_life_is_defined(module->linked, module->policy.name))
        code.entries |= TCI_ENTRY_LIFE;
    code.payload = tci_payload_request_of(module->linked, module->policy.name, module->origin,
                                          module->findings);
    tci_name_checks_run(module->linked, module->origin, module->findings);
    if (module->findings->failed || module->findings->count > 0)
        return tci_error_set(err, module->findings->failed ? TC_E_NO_MEMORY : TC_E_UNSUPPORTED,
                             "%s: the code for %s cannot be shipped", module->policy.name,
                             module->triple);
    code.special_place = tci_own_features_place(module->linked, module->origin);
    code.is_library = module->policy.is_library;
    code.has_holes = tci_hole_variables_exist(module->linked);
    tci_text_list_add_all(&code.exports, &module->exports);
    tc_status status = make_code(module, what_for, &code, err);
    if (status == TC_OK)
        *code_out = code;
    else
        tci_ifunc_code_fini(&code);
    return status;
}

tc_status tci_ifunc_module_finish(tci_ifunc_module *module, tci_ifunc_code *code_out,
                                  tc_error *err)
{
    return finish(module, FOR_RECEIVER, code_out, err);
}

tc_status tci_ifunc_module_finish_for_image(tci_ifunc_module *module, tci_ifunc_code *code_out,
                                            tc_error *err)
{
    return finish(module, FOR_IMAGE, code_out, err);
}
