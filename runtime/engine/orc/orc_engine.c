/* The ORC engine's face to the library: the table of tci_engine_ops, and what is there once per
 * process. */
#include "archive.h"
#include "base/error_text.h"
#include "jit_linker.h"
#include "object_emit.h"
#include "prewarm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct tci_engine {
    tci_host_target host;
    tci_jit_linker *linker;
    void (*log)(tc_log_level level, const char *line);
};

/* LLVM's fatal errors (a bug in it, or code that only its assertions would stop) have no way
 * back: LLVM ends the process when this handler returns. At least the log then says who. */
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
    LLVMMemoryBufferRef bitcode = tci_prewarm_bitcode();
    if (bitcode == NULL)
        return tci_error_set(err, TC_E_COMPILE, "llvm cannot read its own language");
    tci_engine_code code = {
        .name = TCI_PREWARM_NAME,
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
