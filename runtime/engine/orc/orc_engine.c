/* The ORC engine's interface to the library: the table of tci_engine_ops, and the state that
 * exists once per process. */
#include "archive.h"
#include "base/error_text.h"
#include "jit_linker.h"
#include "llvm_compat.h"
#include "object_emit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tci_engine {
    tci_host_target host;
    tci_jit_linker *linker;
    void (*log)(tc_log_level level, const char *line);
};

/* LLVM's fatal errors (a bug in it, or code that only its assertions would stop) cannot be
 * recovered from: LLVM ends the process when this handler returns. The log then at least names
 * the function. */
static void (*fatal_log)(tc_log_level level, const char *line);
static _Thread_local const char *loading_name;

static void on_fatal_error(const char *reason)
{
    char line[1024];
    (void)snprintf(line, sizeof line, "llvm ends the process: %s (while loading function '%s')",
                   reason, loading_name != NULL ? loading_name : "?");
    if (fatal_log != NULL)
        fatal_log(TC_LOG_ERROR, line);
}

static void log_error(const tci_engine *engine, const tc_error *err)
{
    engine->log(TC_LOG_ERROR, err->text);
}

static char llvm_text[32];

static void write_llvm_text(void)
{
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    (void)snprintf(llvm_text, sizeof llvm_text, "%u.%u.%u", major, minor, patch);
}

static const char *linked_llvm(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, write_llvm_text);
    return llvm_text;
}

static const char *engine_cpu(const tci_engine *engine)
{
    return engine->host.cpu;
}

static const char *engine_features(const tci_engine *engine)
{
    return engine->host.features;
}

static tc_status engine_compile(tci_engine *engine, const tci_engine_code *code,
                                tci_object *object_out, tc_error *err)
{
    loading_name = code->name;
    tc_status status = tci_object_emit(&engine->host, code, object_out, err);
    loading_name = NULL;
    return status;
}

static tc_status engine_link(tci_engine *engine, const tci_engine_code *code,
                             const void *object, size_t size, const tci_loaded *base,
                             tci_loaded **loaded_out, tci_entries *entries_out, tc_error *err)
{
    tci_object_view view;
    TC_TRY(tci_object_emit_open(object, size, &view, err));
    loading_name = code->name;
    tc_status status =
        tci_jit_link(engine->linker, &view, code, base, loaded_out, entries_out, err);
    loading_name = NULL;
    return status;
}

static void engine_unload(tci_engine *engine, tci_loaded *loaded)
{
    tc_error err;
    if (tci_jit_unlink(engine->linker, loaded, &err) != TC_OK)
        log_error(engine, &err);
}

/* --- a first function -------------------------------------------------------------------- */

/* Takes the page faults and lazy tables of LLVM, about a millisecond, from the first function
 * that a caller waits for, and tests that this LLVM makes code that runs here. Adds up the
 * 64-bit words of its payload, with some parts of real functions: a loop, a table, a copy, a
 * call outside, floating point, a branch on data. Written without attributes, so that every
 * LLVM reads it. */
static const char prewarm_ir[] =
    "@table = internal global [64 x i64] zeroinitializer, align 16\n"
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
    "declare i64 @strnlen(ptr, i64)\n"
    "define internal i64 @mix(i64 %value) noinline {\n"
    "  %a = lshr i64 %value, 33\n"
    "  %b = xor i64 %a, %value\n"
    "  %c = mul i64 %b, -49064778989728563\n"
    "  %slot = and i64 %c, 63\n"
    "  %place = getelementptr inbounds [64 x i64], ptr @table, i64 0, i64 %slot\n"
    "  %old = load i64, ptr %place, align 8\n"
    "  %new = add i64 %old, 1\n"
    "  store i64 %new, ptr %place, align 8\n"
    "  %f = uitofp i64 %new to double\n"
    "  %g = fmul double %f, 5.0e-1\n"
    "  %h = fptoui double %g to i64\n"
    "  ret i64 %h\n"
    "}\n"
    "define void @prewarm_main(ptr %payload, i64 %size, ptr %args) {\n"
    "entry:\n"
    "  %copy = alloca [8 x i64], align 16\n"
    "  %count = lshr i64 %size, 3\n"
    "  %empty = icmp eq i64 %count, 0\n"
    "  br i1 %empty, label %done, label %loop\n"
    "loop:\n"
    "  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]\n"
    "  %sum = phi i64 [ 0, %entry ], [ %sum.next, %next ]\n"
    "  %at = getelementptr inbounds i64, ptr %payload, i64 %i\n"
    "  %word = load i64, ptr %at, align 8\n"
    "  %sum.next = add i64 %sum, %word\n"
    "  %low = and i64 %word, 3\n"
    "  switch i64 %low, label %next [ i64 1, label %one\n"
    "                                 i64 2, label %two ]\n"
    "one:\n"
    "  %mixed = call i64 @mix(i64 %word)\n"
    "  store i64 %mixed, ptr %copy, align 16\n"
    "  br label %next\n"
    "two:\n"
    "  %room = call i64 @llvm.umin.i64(i64 %size, i64 64)\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %payload, i64 %room, i1 false)\n"
    "  %length = call i64 @strnlen(ptr %copy, i64 %room)\n"
    "  %again = call i64 @mix(i64 %length)\n"
    "  br label %next\n"
    "next:\n"
    "  %i.next = add nuw i64 %i, 1\n"
    "  %end = icmp eq i64 %i.next, %count\n"
    "  br i1 %end, label %done, label %loop\n"
    "done:\n"
    "  %total = phi i64 [ 0, %entry ], [ %sum.next, %next ]\n"
    "  store i64 %total, ptr %args, align 8\n"
    "  ret void\n"
    "}\n"
    "declare i64 @llvm.umin.i64(i64, i64)\n";

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    (void)info, (void)user;
}

static LLVMMemoryBufferRef prewarm_bitcode(void)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef bitcode = NULL;
    char *message;
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    if (tci_llvm_parse_ir(context, prewarm_ir, sizeof prewarm_ir - 1, &module, &message)) {
        bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
        LLVMDisposeModule(module);
    }
    LLVMDisposeMessage(message);
    LLVMContextDispose(context);
    return bitcode;
}

static void *process_symbol(void *user, const char *symbol)
{
    (void)user;
    return dlsym(RTLD_DEFAULT, symbol);
}

static tc_status run_prewarm(tci_engine *engine, const tci_engine_code *code, tc_error *err)
{
    uint64_t payload[] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t sum = 0;
    tci_object object;
    tci_loaded *loaded;
    tci_entries entries;
    TC_TRY(engine_compile(engine, code, &object, err));
    tc_status status =
        engine_link(engine, code, object.bytes, object.size, NULL, &loaded, &entries, err);
    free(object.bytes);
    if (status != TC_OK)
        return status;
    entries.main(payload, sizeof payload, &sum);
    engine_unload(engine, loaded);
    if (sum != 36)
        return tci_error_set(err, TC_E_COMPILE,
                             "llvm's code for this host is wrong: 36 expected, %llu",
                             (unsigned long long)sum);
    return TC_OK;
}

static tc_status prewarm(tci_engine *engine, tc_error *err)
{
    LLVMMemoryBufferRef bitcode = prewarm_bitcode();
    if (bitcode == NULL)
        return tci_error_set(err, TC_E_COMPILE, "llvm cannot read its own language");
    tci_engine_code code = {
        .name = "prewarm",
        .entries = TCI_ENTRY_MAIN,
        .bytes = LLVMGetBufferStart(bitcode),
        .size = LLVMGetBufferSize(bitcode),
        .resolve = process_symbol,
    };
    tc_status status = run_prewarm(engine, &code, err);
    LLVMDisposeMemoryBuffer(bitcode);
    if (status != TC_OK)
        tci_error_prefix(err, "the engine's own test");
    return status;
}

static void engine_destroy(tci_engine *engine)
{
    tc_error err;
    if (tci_jit_linker_destroy(engine->linker, &err) != TC_OK)
        log_error(engine, &err);
    tci_host_target_fini(&engine->host);
    LLVMResetFatalErrorHandler();
    fatal_log = NULL;
    free(engine);
}

static tc_status engine_create(void (*log)(tc_log_level level, const char *line),
                               tci_engine **engine_out, tc_error *err)
{
    tci_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "engine: out of memory");
    engine->log = log;
    tc_status status = tci_host_target_init(&engine->host, err);
    if (status != TC_OK)
        goto free_engine;
    status = tci_jit_linker_create(&engine->host, &engine->linker, err);
    if (status != TC_OK)
        goto fini_host;
    fatal_log = log;
    LLVMInstallFatalErrorHandler(on_fatal_error);
    status = prewarm(engine, err);
    if (status != TC_OK) {
        engine_destroy(engine);
        return status;
    }
    *engine_out = engine;
    return TC_OK;

fini_host:
    tci_host_target_fini(&engine->host);
free_engine:
    free(engine);
    return status;
}

TC_API extern const tci_engine_ops tci_engine_module;
const tci_engine_ops tci_engine_module = {
    .abi = TCI_ENGINE_ABI,
    .name = "orc",
    .llvm = linked_llvm,
    .create = engine_create,
    .destroy = engine_destroy,
    .cpu = engine_cpu,
    .features = engine_features,
    .compile = engine_compile,
    .link = engine_link,
    .writable = tci_jit_writable,
    .memory = tci_jit_memory,
    .symbols = tci_jit_symbols,
    .unload = engine_unload,
};
