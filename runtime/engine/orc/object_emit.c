/* The steps of one compilation are those of emit(): parse, check (module_check.h), prepare the
 * module for this host, verify, run the passes, generate the object, and check its symbols. All
 * of them use one context, which is freed at the end; `lap` times the steps for the log. */
#include "object_emit.h"

#include "archive.h"
#include "base/error_text.h"
#include "base/clock.h"
#include "bitcode_producer.h"
#include "elf_object.h"
#include "engine/name_list.h"
#include "entry_names.h"
#include "module_check.h"
#include "object_image.h"
#include "unwind_tables.h"
#include "writable_data.h"

#include <stdlib.h>
#include <string.h>

/* Precedes the ELF file in a tci_object's bytes. */
typedef struct object_header {
    char magic[4];
    uint32_t abi;
    uint32_t level;
    uint32_t writable;
} object_header;

static const char object_magic[4] = {'T', 'C', 'O', 'B'};

/* LLVM reports errors of the parser, of inline assembly and of the back end to a context's
 * handler. Without one it ends the process; with one it continues, and makes an object that
 * lacks the wrong part. Therefore errors are collected and counted, and the object is
 * refused. */
typedef struct diagnostics {
    unsigned errors;
    char first[512];
} diagnostics;

typedef struct emission {
    LLVMContextRef context;
    LLVMModuleRef module;
    diagnostics diags;
    uint64_t lap_ns; /* when the last stage ended */
} emission;

static uint64_t lap(emission *e)
{
    uint64_t now_ns = tci_clock_ns();
    uint64_t took_ns = now_ns - e->lap_ns;
    e->lap_ns = now_ns;
    return took_ns;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    diagnostics *diags = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    if (diags->errors++ == 0)
        (void)snprintf(diags->first, sizeof diags->first, "%s", text);
    LLVMDisposeMessage(text);
}

static tc_status check_version(const tci_engine_code *code, tc_error *err)
{
    unsigned major, minor, patch;
    tci_producer producer;
    LLVMGetVersion(&major, &minor, &patch);
    if (code->producer_major > major)
        return tci_error_set(
            err, TC_E_VERSION,
            "bitcode was written by LLVM %u.%u.%u, this process has LLVM %u.%u.%u: "
            "expected %u or older, or an image",
            code->producer_major, code->producer_minor, code->producer_patch, major, minor,
            patch, major);
    if (tci_bitcode_producer(code->bytes, code->size, &producer) && producer.major > major)
        return tci_error_set(err, TC_E_VERSION,
                             "bitcode was written by %s, this process has LLVM %u.%u.%u: "
                             "expected %u or older, or an image",
                             producer.text, major, minor, patch, major);
    return TC_OK;
}

static tc_status check_bytes(const tci_engine_code *code, tc_error *err)
{
    if (!tci_bitcode_has_magic(code->bytes, code->size))
        return tci_error_set(err, TC_E_CORRUPT,
                             "code does not begin with bitcode's magic BC c0 de");
    if (code->size % 4 != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "bitcode has %zu bytes, expected a multiple of 4", code->size);
    if (code->size > TCI_ARCHIVE_SLICE_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "bitcode has %zu bytes, expected at most %u",
                             code->size, TCI_ARCHIVE_SLICE_BYTES_MAX);
    return check_version(code, err);
}

static tc_status diagnostics_status(const diagnostics *diags, const char *stage, tc_error *err)
{
    if (diags->errors == 0)
        return TC_OK;
    if (diags->errors == 1)
        return tci_error_set(err, TC_E_COMPILE, "%s: %s", stage, diags->first);
    return tci_error_set(err, TC_E_COMPILE, "%s: %s (and %u more errors)", stage, diags->first,
                         diags->errors - 1);
}

static tc_status parse(emission *e, const tci_engine_code *code, tc_error *err)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(code->bytes, code->size, code->name, 0);
    int failed = LLVMParseBitcodeInContext2(e->context, buffer, &e->module);
    LLVMDisposeMemoryBuffer(buffer); /* a full parse keeps nothing of it */
    if (failed)
        e->module = NULL;
    TC_TRY(diagnostics_status(&e->diags, "bitcode", err));
    return failed ? tci_error_set(err, TC_E_COMPILE, "bitcode: llvm cannot read it") : TC_OK;
}

static bool is_intrinsic_name(LLVMValueRef value)
{
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    return length >= 5 && memcmp(name, "llvm.", 5) == 0;
}

/* Only the entry points are visible from outside, so names that two functions share never meet,
 * and code is generated without detours for symbols that might be replaced. */
static void make_internal(LLVMValueRef value)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    if (LLVMIsDeclaration(value) || linkage == LLVMAvailableExternallyLinkage ||
        linkage == LLVMPrivateLinkage || is_intrinsic_name(value))
        return;
    LLVMSetVisibility(value, LLVMDefaultVisibility);
    LLVMSetLinkage(value, LLVMInternalLinkage);
}

/* Adds the features that a function needs beyond all others (__attribute__((target("aes")))) to
 * those of this host: its callers have tested for them first. Without the host's, LLVM would
 * use everything that the CPU's name promises. */
static tc_status add_own_features(LLVMValueRef function, const tci_host_target *host)
{
    static const char name[] = "target-features";
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef own =
        LLVMGetStringAttributeAtIndex(function, index, name, sizeof name - 1);
    unsigned size = 0;
    if (own == NULL)
        return TC_OK;
    const char *text = LLVMGetStringAttributeValue(own, &size);
    size_t capacity = strlen(host->features) + size + 2;
    char *all = malloc(capacity);
    if (all == NULL)
        return TC_E_NO_MEMORY;
    (void)snprintf(all, capacity, "%s,%.*s", host->features, (int)size, text);
    LLVMRemoveStringAttributeAtIndex(function, index, name, sizeof name - 1);
    LLVMAddTargetDependentFunctionAttr(function, name, all);
    free(all);
    return TC_OK;
}

/* Removes the CPU that the sender compiled for, which would override this host's. */
static void strip_target_attributes(LLVMValueRef function)
{
    static const char *const names[] = {"target-cpu", "tune-cpu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        LLVMRemoveStringAttributeAtIndex(function,
                                         (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         names[i], (unsigned)strlen(names[i]));
}

static void expose_entries(LLVMModuleRef module, const tci_engine_code *code)
{
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        char symbol[TCI_ENTRY_SYMBOL_MAX];
        if ((code->entries & tci_entry_symbol(code->name, code->entries, i, symbol)) == 0)
            continue;
        LLVMValueRef entry = LLVMGetNamedFunction(module, symbol);
        if (entry != NULL)
            LLVMSetLinkage(entry, LLVMExternalLinkage);
    }
}

static bool is_debuggable(LLVMModuleRef module, const tci_engine_code *code)
{
    return code->debuggable || LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu") > 0;
}

/* Names functions that have no name. Senders strip names, and a pass of LLVM sorts functions by
 * them: it never ends with several unnamed ones. */
static void name_functions(LLVMModuleRef module)
{
    char name[32];
    unsigned count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        (void)LLVMGetValueName2(f, &length);
        if (length > 0)
            continue;
        int n = snprintf(name, sizeof name, "unnamed_%u", ++count);
        LLVMSetValueName2(f, name, (size_t)n);
    }
}

static tc_status prepare(LLVMModuleRef module, const tci_host_target *host,
                         const tci_engine_code *code, tc_error *err)
{
    if (is_debuggable(module, code))
        tci_unwind_tables_add(module);
    name_functions(module);
    LLVMSetTarget(module, host->triple);
    LLVMSetDataLayout(module, host->layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        strip_target_attributes(f);
        if (add_own_features(f, host) != TC_OK)
            return tci_error_set(err, TC_E_NO_MEMORY, "features: out of memory");
        make_internal(f);
        if (!LLVMIsDeclaration(f))
            LLVMSetComdat(f, NULL); /* the group's name may just have become internal */
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g)) {
        make_internal(g);
        if (!LLVMIsDeclaration(g))
            LLVMSetComdat(g, NULL);
    }
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a != NULL;
         a = LLVMGetNextGlobalAlias(a))
        make_internal(a);
    expose_entries(module, code);
    return TC_OK;
}

static tc_status verify(const emission *e, tc_error *err)
{
    char *text = NULL;
    tc_status status = TC_OK;
    if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &text) != 0)
        status = tci_error_set(err, TC_E_COMPILE, "bitcode is not valid: %s", text);
    LLVMDisposeMessage(text);
    return status;
}

/* Vectorises loops to the width of this CPU, which the sender cannot know and has left to
 * us. */
static tc_status optimise(emission *e, LLVMTargetMachineRef machine, tc_error *err)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetSLPVectorization(options, 1); /* as clang's -O2 has it */
    LLVMErrorRef error = LLVMRunPasses(e->module, "default<O2>", machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == LLVMErrorSuccess)
        return diagnostics_status(&e->diags, "optimisation", err);
    char *message = LLVMGetErrorMessage(error);
    tci_error_set(err, TC_E_COMPILE, "optimisation: %s", message);
    LLVMDisposeErrorMessage(message);
    return TC_E_COMPILE;
}

static tc_status run_machine(emission *e, LLVMTargetMachineRef machine, tci_code_level level,
                             tci_object *object, LLVMMemoryBufferRef *elf_out, tc_error *err)
{
    char *message = NULL;
    if (level != TCI_LEVEL_BASELINE)
        TC_TRY(optimise(e, machine, err));
    tci_unwind_tables_limit(e->module);
    object->passes_ns = lap(e);
    int failed = LLVMTargetMachineEmitToMemoryBuffer(machine, e->module, LLVMObjectFile,
                                                     &message, elf_out);
    tc_status status = diagnostics_status(&e->diags, "code generation", err);
    if (status == TC_OK && failed)
        status = tci_error_set(err, TC_E_COMPILE, "code generation: %s", message);
    LLVMDisposeMessage(message);
    object->codegen_ns = lap(e);
    return status;
}

static tc_status generate(emission *e, tci_host_target *host, tci_code_level level,
                          tci_object *object, LLVMMemoryBufferRef *elf_out, tc_error *err)
{
    LLVMTargetMachineRef machine = tci_host_target_take(host, level);
    if (machine == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "llvm has no machine for %s", host->cpu);
    tc_status status = run_machine(e, machine, level, object, elf_out, err);
    if (status == TC_OK)
        tci_host_target_give_back(host, level, machine);
    else
        LLVMDisposeTargetMachine(machine); /* the error left it in an unknown state */
    return status;
}

/* Assembly outside functions may define symbols, which the module does not show: then the
 * object lists the missing ones. */
static bool has_assembly(LLVMModuleRef module)
{
    size_t length;
    (void)LLVMGetModuleInlineAsm(module, &length);
    return length > 0;
}

static tc_status check_symbols(const emission *e, const tci_engine_code *code,
                               LLVMMemoryBufferRef elf, tc_error *err)
{
    tci_name_list missing = {0};
    const char *name;
    if (!has_assembly(e->module))
        return TC_OK;
    const tci_elf_object object =
        tci_elf_object_open(LLVMGetBufferStart(elf), LLVMGetBufferSize(elf));
    for (size_t at = 0; (name = tci_elf_object_next_undefined(&object, &at)) != NULL;) {
        uint32_t index;
        if (!tci_writable_index(name, &index) && strcmp(name, "_GLOBAL_OFFSET_TABLE_") != 0 &&
            code->resolve(code->resolve_user, name) == NULL)
            tci_name_list_add(&missing, name);
    }
    if (missing.count > 0)
        return tci_error_set(err, TC_E_UNRESOLVED, "no library here defines: %s",
                             tci_name_list_finish(&missing));
    return TC_OK;
}

static tc_status emit(emission *e, tci_host_target *host, const tci_engine_code *code,
                      tci_object *object, LLVMMemoryBufferRef *elf_out, tc_error *err)
{
    e->lap_ns = tci_clock_ns();
    TC_TRY(parse(e, code, err));
    object->parse_ns = lap(e);
    TC_TRY(tci_module_check_target(e->module, host, err));
    TC_TRY(tci_module_check_contents(e->module, err));
    if (code->forbids_assembly)
        TC_TRY(tci_module_check_assembly(e->module, err));
    TC_TRY(tci_module_check_entries(e->module, code, err));
    if (!has_assembly(e->module))
        TC_TRY(tci_module_check_symbols(e->module, code, err));
    TC_TRY(prepare(e->module, host, code, err));
    object->writable = has_assembly(e->module) /* assembly may use variables by their names */
                           ? TCI_WRITABLE_FIXED
                           : tci_writable_data_share(e->module, code->level);
    if (object->writable == TCI_WRITABLE_FIXED && code->level == TCI_LEVEL_OPTIMISED_SHARED)
        return tci_error_set(err, TC_E_UNSUPPORTED, "its variables cannot be shared");
    TC_TRY(verify(e, err));
    TC_TRY(tci_module_check_bounds(e->module, err));
    object->verify_ns = lap(e);
    TC_TRY(generate(e, host, code->level, object, elf_out, err));
    return check_symbols(e, code, *elf_out, err);
}

static tc_status keep_image(const tci_engine_code *code, LLVMMemoryBufferRef elf,
                            tci_object *object, tc_error *err)
{
    return tci_object_image_make(code, LLVMGetBufferStart(elf), LLVMGetBufferSize(elf),
                                 object->writable, &object->bytes, &object->size, err);
}

static tc_status keep_object(const tci_engine_code *code, LLVMMemoryBufferRef elf,
                             tci_object *object, tc_error *err)
{
    size_t elf_size = LLVMGetBufferSize(elf);
    object_header header = {
        .abi = TCI_ENGINE_ABI, .level = (uint32_t)code->level, .writable = object->writable};
    memcpy(header.magic, object_magic, sizeof header.magic);
    object->size = sizeof header + elf_size;
    object->bytes = malloc(object->size);
    if (object->bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "object of %zu bytes: out of memory",
                             elf_size);
    memcpy(object->bytes, &header, sizeof header);
    memcpy((char *)object->bytes + sizeof header, LLVMGetBufferStart(elf), elf_size);
    return TC_OK;
}

/* Code that an image cannot hold is no less valid as an object. */
static tc_status keep(const emission *e, const tci_engine_code *code, LLVMMemoryBufferRef elf,
                      tci_object *object, tc_error *err)
{
    tc_error refusal;
    switch (code->output) {
    case TCI_OUTPUT_IMAGE:
        return keep_image(code, elf, object, err);
    case TCI_OUTPUT_EITHER:
        if (!is_debuggable(e->module, code) && keep_image(code, elf, object, &refusal) == TC_OK)
            return TC_OK;
        break;
    case TCI_OUTPUT_OBJECT:
        break;
    }
    return keep_object(code, elf, object, err);
}

tc_status tci_object_emit(tci_host_target *host, const tci_engine_code *code,
                          tci_object *object_out, tc_error *err)
{
    TC_TRY(check_bytes(code, err));
    emission e = {.context = LLVMContextCreate()};
    tci_object object = {0};
    LLVMMemoryBufferRef elf = NULL;
    LLVMContextSetDiagnosticHandler(e.context, on_diagnostic, &e.diags);
    tc_status status = emit(&e, host, code, &object, &elf, err);
    if (status == TC_OK)
        status = keep(&e, code, elf, &object, err);
    if (elf != NULL)
        LLVMDisposeMemoryBuffer(elf);
    if (e.module != NULL)
        LLVMDisposeModule(e.module);
    LLVMContextDispose(e.context);
    if (status == TC_OK)
        *object_out = object;
    return status;
}

tc_status tci_object_emit_open(const void *bytes, size_t size, tci_object_view *view_out,
                               tc_error *err)
{
    object_header header;
    if (size < sizeof header)
        return tci_error_set(err, TC_E_CORRUPT, "object of %zu bytes, expected %zu and more",
                             size, sizeof header);
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, object_magic, sizeof header.magic) != 0 ||
        header.abi != TCI_ENGINE_ABI || header.level > TCI_LEVEL_OPTIMISED_SHARED)
        return tci_error_set(err, TC_E_CORRUPT,
                             "object of interface %u, level %u: expected interface %u",
                             header.abi, header.level, TCI_ENGINE_ABI);
    *view_out = (tci_object_view){.elf = (const char *)bytes + sizeof header,
                                  .elf_size = size - sizeof header,
                                  .writable = header.writable,
                                  .level = (tci_code_level)header.level};
    return TC_OK;
}
