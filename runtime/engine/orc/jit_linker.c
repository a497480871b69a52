/* A link under the lock: a dylib is taken, the object added, and its entries looked up, which
 * makes JITLink work. Undefined symbols come to define_symbols, which asks the code's resolver;
 * missing names are collected, so that one error lists them all. */
#include "jit_linker.h"

#include "archive.h"
#include "base/error_text.h"
#include "elf_object.h"
#include "entry_names.h"
#include "engine/name_list.h"
#include "jit_instance.h"
#include "object_bounds.h"
#include "writable_data.h"

#include <stdlib.h>
#include <string.h>

struct tci_loaded {
    tci_jit *jit;
    tci_jit_dylib *dylib;
    size_t memory_bytes;
    uint32_t writable;
    uint32_t shared_count;
    uint64_t *shared; /* baseline code: the addresses of its writable variables, by index */
    size_t symbol_count;
    tci_code_symbol *symbols;
    const void *debugged; /* its entry in the debuggers' list, or NULL */
};

#define WANTED_MAX (TCI_ENTRY_COUNT + TCI_WRITABLE_MAX)

struct tci_jit_linker {
    tci_host_target *host;
    tci_jit jit;
    tci_jit debug_jit;    /* notifies debuggers of linked objects; opened when first needed */
    pthread_mutex_t lock; /* of both and of all below */
    /* The link that is in progress. */
    const tci_engine_code *code;
    const tci_loaded *base;
    tci_name_list missing;
    char report[512];
};

/* The result of LLVMOrcExecutionSessionLookup, in whatever thread it completes. */
typedef struct lookup {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    bool done;
    bool failed;
    char text[512];
    /* Entry points first, then shared variables. */
    size_t count;
    uint64_t addresses[WANTED_MAX];
    LLVMOrcSymbolStringPoolEntryRef names[WANTED_MAX]; /* NULL: not wanted */
} lookup;

/* Receives the reason of a failure. The lookup's own error only states that it failed. */
static void on_session_error(void *user, LLVMErrorRef error)
{
    tci_jit_linker *linker = user;
    size_t used = strlen(linker->report);
    if (used > 0 && used + 2 < sizeof linker->report) {
        memcpy(linker->report + used, "; ", 3);
        used += 2;
    }
    tci_jit_error_text(error, linker->report + used, sizeof linker->report - used);
}

/* Returns a variable of the base code, or the result of the function's resolver. */
static void *find_symbol(const tci_jit_linker *linker, const char *name, bool weak)
{
    const tci_engine_code *code = linker->code;
    uint32_t index;
    if (linker->base == NULL || !tci_writable_index(name, &index)) {
        bool open = weak && code->resolve_weak != NULL;
        return (open ? code->resolve_weak : code->resolve)(code->resolve_user, name);
    }
    return index < linker->base->shared_count ? (void *)(uintptr_t)linker->base->shared[index]
                                              : NULL;
}

/* Called during a link for symbols that the dylib lacks: those the module declares, and those
 * code generation added (memcpy, __divti3). JITLink reports symbols that stay undefined here; a
 * weak reference becomes null. */
static LLVMErrorRef define_symbols(LLVMOrcDefinitionGeneratorRef generator, void *user,
                                   LLVMOrcLookupStateRef *state, LLVMOrcLookupKind kind,
                                   LLVMOrcJITDylibRef dylib, LLVMOrcJITDylibLookupFlags flags,
                                   LLVMOrcCLookupSet wanted, size_t count)
{
    (void)generator, (void)state, (void)kind, (void)flags;
    tci_jit_linker *linker = user;
    LLVMOrcCSymbolMapPair *pairs = malloc(count * sizeof *pairs);
    size_t found = 0;
    if (pairs == NULL || linker->code == NULL) {
        free(pairs);
        return LLVMCreateStringError("out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = LLVMOrcSymbolStringPoolEntryStr(wanted[i].Name);
        bool weak = wanted[i].LookupFlags != LLVMOrcSymbolLookupFlagsRequiredSymbol;
        void *address = find_symbol(linker, name, weak);
        if (address == NULL) {
            if (!weak)
                tci_name_list_add(&linker->missing, name);
            continue;
        }
        /* The definition takes ownership of a reference. */
        LLVMOrcRetainSymbolStringPoolEntry(wanted[i].Name);
        pairs[found].Name = wanted[i].Name;
        pairs[found].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)address;
        pairs[found].Sym.Flags = (LLVMJITSymbolFlags){
            LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
        found++;
    }
    LLVMErrorRef error = LLVMErrorSuccess;
    if (found > 0) {
        LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, found);
        error = LLVMOrcJITDylibDefine(dylib, unit);
        if (error != LLVMErrorSuccess)
            LLVMOrcDisposeMaterializationUnit(unit);
    }
    free(pairs);
    return error;
}

static void on_lookup_done(LLVMErrorRef error, LLVMOrcCSymbolMapPairs result, size_t count,
                           void *user)
{
    lookup *l = user;
    pthread_mutex_lock(&l->lock);
    if (error != LLVMErrorSuccess) {
        tci_jit_error_text(error, l->text, sizeof l->text);
        l->failed = true;
        count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < l->count; k++) {
            if (result[i].Name == l->names[k])
                l->addresses[k] = result[i].Sym.Address;
        }
    }
    l->done = true;
    pthread_cond_signal(&l->finished);
    pthread_mutex_unlock(&l->lock);
}

static void want(const tci_jit *jit, lookup *l, size_t index, const char *symbol)
{
    l->names[index] = LLVMOrcExecutionSessionIntern(jit->session, symbol);
}

static bool defines(const tci_elf_object *object, const char *symbol)
{
    tci_elf_function function;
    for (size_t at = 0; tci_elf_object_next_function(object, &at, &function);) {
        if (strcmp(function.name, symbol) == 0)
            return true;
    }
    return false;
}

static void want_all(const tci_jit_linker *linker, const tci_jit *jit,
                     const tci_object_view *object, lookup *l, uint32_t shared_count)
{
    const tci_elf_object shape = tci_elf_object_open(object->elf, object->elf_size);
    const unsigned entries = linker->code->entries;
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        char symbol[TCI_ENTRY_SYMBOL_MAX];
        if ((entries & tci_entry_symbol(linker->code->name, entries, i, symbol)) != 0 &&
            (i != TCI_ENTRY_AT_LIFE || defines(&shape, symbol)))
            want(jit, l, (size_t)i, symbol);
    }
    for (uint32_t i = 0; i < shared_count; i++) {
        char symbol[TCI_WRITABLE_SYMBOL_MAX];
        tci_writable_symbol(i, symbol);
        want(jit, l, TCI_ENTRY_COUNT + i, symbol);
    }
    l->count = TCI_ENTRY_COUNT + shared_count;
}

static void look_up(const tci_jit *jit, const tci_jit_dylib *dylib, lookup *l)
{
    LLVMOrcCJITDylibSearchOrderElement order = {
        dylib->ref, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly};
    LLVMOrcCLookupSetElement wanted[WANTED_MAX];
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (l->names[i] == NULL)
            continue;
        LLVMOrcRetainSymbolStringPoolEntry(l->names[i]); /* one reference goes to the lookup */
        wanted[count].Name = l->names[i];
        wanted[count++].LookupFlags = LLVMOrcSymbolLookupFlagsRequiredSymbol;
    }
    LLVMOrcExecutionSessionLookup(jit->session, LLVMOrcLookupKindStatic, &order, 1, wanted,
                                  count, on_lookup_done, l);
    /* A lookup links in the calling thread, as long as no other thread works in the session. */
    pthread_mutex_lock(&l->lock);
    while (!l->done)
        pthread_cond_wait(&l->finished, &l->lock);
    pthread_mutex_unlock(&l->lock);
    for (size_t i = 0; i < l->count; i++) {
        if (l->names[i] != NULL)
            LLVMOrcReleaseSymbolStringPoolEntry(l->names[i]);
    }
}

static tc_status open_jit(tci_jit_linker *linker, bool debuggable, tci_jit *jit, tc_error *err)
{
    const tci_jit_hooks hooks = {
        .define = define_symbols, .report = on_session_error, .user = linker};
    return tci_jit_open(linker->host, debuggable, &hooks, jit, err);
}

static tc_status link_status(tci_jit_linker *linker, const lookup *l, tc_error *err)
{
    if (linker->missing.count > 0)
        return tci_error_set(err, TC_E_UNRESOLVED, "no library here defines: %s",
                             tci_name_list_finish(&linker->missing));
    if (l->failed)
        return tci_error_set(err, TC_E_COMPILE, "linking: %s",
                             linker->report[0] != '\0' ? linker->report : l->text);
    return TC_OK;
}

static tc_status keep_shared(tci_loaded *loaded, const lookup *l, tc_error *err)
{
    uint32_t count = (uint32_t)(l->count - TCI_ENTRY_COUNT);
    if (count == 0)
        return TC_OK;
    loaded->shared = malloc(count * sizeof *loaded->shared);
    if (loaded->shared == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "linking: out of memory");
    memcpy(loaded->shared, l->addresses + TCI_ENTRY_COUNT, count * sizeof *loaded->shared);
    loaded->shared_count = count;
    return TC_OK;
}

/* Checks that every entry point has code. LLVM makes no code of a body that cannot be reached,
 * and then reports success. */
static tc_status check_entry_sizes(const tci_elf_object *object, const tci_engine_code *code,
                                   tc_error *err)
{
    tci_elf_function function;
    char symbols[TCI_ENTRY_COUNT][TCI_ENTRY_SYMBOL_MAX];
    for (int i = 0; i < TCI_ENTRY_COUNT; i++)
        (void)tci_entry_symbol(code->name, code->entries, i, symbols[i]);
    for (size_t at = 0; tci_elf_object_next_function(object, &at, &function);) {
        for (int i = 0; function.size == 0 && i < TCI_ENTRY_COUNT; i++) {
            if (strcmp(function.name, symbols[i]) == 0)
                return tci_error_set(err, TC_E_CORRUPT, "%s has no instructions", symbols[i]);
        }
    }
    return TC_OK;
}

static tc_status find_entries(tci_jit_linker *linker, tci_loaded *loaded,
                              const tci_object_view *object, tci_entries *entries_out,
                              tc_error *err)
{
    lookup l = {.lock = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};
    bool shares = object->level == TCI_LEVEL_BASELINE && object->writable != TCI_WRITABLE_FIXED;
    want_all(linker, loaded->jit, object, &l, shares ? object->writable : 0);
    look_up(loaded->jit, loaded->dylib, &l);
    TC_TRY(link_status(linker, &l, err));
    if (l.addresses[0] == 0)
        return tci_error_set(err, TC_E_CORRUPT, "%s has no main function in memory",
                             linker->code->name);
    TC_TRY(keep_shared(loaded, &l, err));
    loaded->writable = object->writable;
    entries_out->main = (void (*)(void *, size_t, void *))(uintptr_t)l.addresses[0];
    entries_out->max_size = (size_t(*)(void *, size_t))(uintptr_t)l.addresses[1];
    entries_out->init = (int (*)(void *, size_t, void *, size_t))(uintptr_t)l.addresses[2];
    entries_out->life = (int (*)(char *, size_t))(uintptr_t)l.addresses[TCI_ENTRY_AT_LIFE];
    return TC_OK;
}

/* Chooses one of the two JITs, and opens it. */
static tc_status choose_jit(tci_jit_linker *linker, const tci_elf_object *shape,
                            tci_jit **jit_out, tc_error *err)
{
    *jit_out = &linker->jit;
    if (!linker->code->debuggable && !tci_elf_object_has_debug_info(shape))
        return TC_OK;
    *jit_out = &linker->debug_jit;
    if (linker->debug_jit.lljit != NULL)
        return TC_OK;
    return open_jit(linker, true, &linker->debug_jit, err);
}

static tc_status unlink_locked(tci_loaded *loaded, tc_error *err)
{
    tc_status status = TC_OK;
    if (loaded->dylib != NULL)
        status = tci_jit_empty_dylib(loaded->jit, loaded->dylib, err);
    tci_jit_forget_debugged(loaded->debugged);
    free(loaded->symbols);
    free(loaded->shared);
    free(loaded);
    return status;
}

static tc_status link_into(tci_jit_linker *linker, const tci_object_view *object,
                           tci_loaded *loaded, tci_entries *entries_out, tc_error *err)
{
    const tci_elf_object shape = tci_elf_object_open(object->elf, object->elf_size);
    TC_TRY(tci_object_bounds_check(&shape, linker->code->memory_max, err));
    TC_TRY(check_entry_sizes(&shape, linker->code, err));
    TC_TRY(choose_jit(linker, &shape, &loaded->jit, err));
    loaded->dylib = tci_jit_take_dylib(loaded->jit);
    if (loaded->dylib == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "linking: out of memory");
    tci_jit_note_linked(loaded->jit, object->elf_size);
    const void *newest = tci_jit_newest_debugged();
    LLVMMemoryBufferRef elf = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        object->elf, object->elf_size, linker->code->name);
    TC_TRY(
        tci_jit_status(LLVMOrcLLJITAddObjectFile(loaded->jit->lljit, loaded->dylib->ref, elf),
                       "linking", err));
    TC_TRY(find_entries(linker, loaded, object, entries_out, err));
    if (tci_jit_newest_debugged() != newest)
        loaded->debugged = tci_jit_newest_debugged();
    loaded->memory_bytes = tci_elf_object_memory(&shape);
    loaded->symbol_count = tci_elf_object_names(&shape, linker->code,
                                                (uintptr_t)entries_out->main, &loaded->symbols);
    return TC_OK;
}

static tc_status link_locked(tci_jit_linker *linker, const tci_object_view *object,
                             tci_loaded **loaded_out, tci_entries *entries_out, tc_error *err)
{
    tci_entries entries;
    tci_loaded *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "linking: out of memory");
    tc_status status = link_into(linker, object, loaded, &entries, err);
    if (status != TC_OK) {
        (void)unlink_locked(loaded, NULL);
        return status;
    }
    *entries_out = entries;
    *loaded_out = loaded;
    return TC_OK;
}

static tc_status check_object(const tci_object_view *object, const tci_loaded *base,
                              tc_error *err)
{
    uint32_t count = object->writable == TCI_WRITABLE_FIXED ? 0 : object->writable;
    if (count > TCI_WRITABLE_MAX)
        return tci_error_set(err, TC_E_CORRUPT, "object with %u variables, expected %u at most",
                             count, TCI_WRITABLE_MAX);
    if (object->level == TCI_LEVEL_OPTIMISED_SHARED &&
        (base == NULL || base->shared_count != count))
        return tci_error_set(err, TC_E_CORRUPT,
                             "object for code with %u variables, that code has %u", count,
                             base == NULL ? 0 : base->shared_count);
    return TC_OK;
}

tc_status tci_jit_link(tci_jit_linker *linker, const tci_object_view *object,
                       const tci_engine_code *code, const tci_loaded *base,
                       tci_loaded **loaded_out, tci_entries *entries_out, tc_error *err)
{
    TC_TRY(check_object(object, base, err));
    pthread_mutex_lock(&linker->lock);
    linker->code = code;
    linker->base = object->level == TCI_LEVEL_OPTIMISED_SHARED ? base : NULL;
    linker->missing = (tci_name_list){0};
    linker->report[0] = '\0';
    tc_status status = link_locked(linker, object, loaded_out, entries_out, err);
    linker->code = NULL;
    linker->base = NULL;
    pthread_mutex_unlock(&linker->lock);
    return status;
}

uint32_t tci_jit_writable(const tci_loaded *loaded)
{
    return loaded->writable;
}

tc_status tci_jit_unlink(tci_jit_linker *linker, tci_loaded *loaded, tc_error *err)
{
    pthread_mutex_lock(&linker->lock);
    tc_status status = unlink_locked(loaded, err);
    pthread_mutex_unlock(&linker->lock);
    return status;
}

size_t tci_jit_memory(const tci_loaded *loaded)
{
    return loaded->memory_bytes;
}

size_t tci_jit_symbols(const tci_loaded *loaded, const tci_code_symbol **symbols_out)
{
    *symbols_out = loaded->symbols;
    return loaded->symbol_count;
}

tc_status tci_jit_linker_create(tci_host_target *host, tci_jit_linker **linker_out,
                                tc_error *err)
{
    tci_jit_linker *linker = calloc(1, sizeof *linker);
    if (linker == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "linker: out of memory");
    linker->host = host;
    tc_status status = open_jit(linker, false, &linker->jit, err);
    if (status != TC_OK) {
        free(linker);
        return status;
    }
    pthread_mutex_init(&linker->lock, NULL);
    *linker_out = linker;
    return TC_OK;
}

tc_status tci_jit_linker_destroy(tci_jit_linker *linker, tc_error *err)
{
    tc_status status = tci_jit_close(&linker->debug_jit, err);
    tc_status second = tci_jit_close(&linker->jit, status == TC_OK ? err : NULL);
    pthread_mutex_destroy(&linker->lock);
    free(linker);
    return status == TC_OK ? second : status;
}
