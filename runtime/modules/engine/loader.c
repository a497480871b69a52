/* A loader: a registry of functions without endpoints. At the end two calls of release 0.1. */
#include "context/context_object.h"

#include "base/error_text.h"
#include "base/sized_struct.h"
#include "context/modules.h"
#include "context/old_opens.h"
#include "ifunc/code_open.h"
#include "ifunc/ifunc_load.h"
#include "modules/engine/host_symbols.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <tc/loader.h>

struct tc_loader {
    struct tc_options options;
    tci_host_symbol *symbols;
    tci_registry registry;
};

#define LOADER_SYMBOLS_MAX (1u << 20)

/* The program's symbols: `count` structs of `size` bytes each, as the program was compiled. */
typedef struct given_symbols {
    const tc_symbol *first;
    size_t count, size;
} given_symbols;

static tc_status copy_symbols(tc_loader *loader, const given_symbols *given, tc_error *err)
{
    tc_symbol symbol;
    const size_t count = given->count;
    size_t own_count;
    const tci_host_symbol *own = tci_host_symbols_all(&own_count);
    if (count > LOADER_SYMBOLS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "loader: %zu symbols, expected %u at most",
                             count, LOADER_SYMBOLS_MAX);
    /* bound: LOADER_SYMBOLS_MAX */
    loader->symbols = calloc(count + own_count, sizeof *loader->symbols);
    if (loader->symbols == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "loader: out of memory");
    for (size_t i = 0; i < count; i++) {
        TC_TRY(tci_sized_struct_read(&symbol, sizeof symbol,
                                     (const char *)given->first + i * given->size, given->size,
                                     err));
        loader->symbols[i] = (tci_host_symbol){symbol.name, symbol.address};
    }
    memcpy(loader->symbols + count, own, own_count * sizeof *own);
    loader->registry.scope.host = loader->symbols;
    loader->registry.scope.host_count = count + own_count;
    return TC_OK;
}

/* Calls of a loader's functions are not counted, so better code would never come. */
static void settle_tier(struct tc_options *options)
{
    if (options->tier == TCI_TIER_AUTO)
        options->tier = TCI_TIER_BEST;
}

static tc_status init_loader(tc_loader *loader, const tc_options *opts,
                             const given_symbols *symbols, tc_error *err)
{
    if (sodium_init() < 0)
        return tci_error_set(err, TC_E_UNSUPPORTED, "libsodium could not be started");
    TC_TRY(tci_option_table_copy(&loader->options, opts, err));
    settle_tier(&loader->options);
    TC_TRY(copy_symbols(loader, symbols, err));
    TC_TRY(tci_modules_attach_registry(&loader->registry, &loader->options, err));
    return tci_registry_init(&loader->registry, &loader->options, err);
}

tc_status tc_loader_create_sized(const tc_options *opts, const tc_symbol *symbols,
                                 size_t symbol_count, size_t symbol_size,
                                 tc_loader **loader_out, tc_error *err)
{
    const given_symbols given = {symbols, symbols != NULL ? symbol_count : 0, symbol_size};
    tc_options *from_environment = NULL;
    if (opts == NULL)
        TC_TRY(tc_options_create(&from_environment, err));
    tc_loader *loader = calloc(1, sizeof *loader);
    tc_status status = TC_E_NO_MEMORY;
    if (loader == NULL)
        tci_error_set(err, status, "loader: out of memory");
    else
        status = init_loader(loader, opts != NULL ? opts : from_environment, &given, err);
    tc_options_destroy(from_environment);
    if (status != TC_OK) {
        tc_loader_destroy(loader);
        return status;
    }
    *loader_out = loader;
    return TC_OK;
}

void tc_loader_destroy(tc_loader *loader)
{
    if (loader == NULL)
        return;
    tci_registry_fini(&loader->registry);
    tci_modules_detach_registry(&loader->registry);
    free(loader->symbols);
    tci_option_table_free_texts(&loader->options);
    free(loader);
}

tc_status tc_loader_open_code_sized(tc_loader *loader, const tc_code *code, size_t code_size,
                                    size_t slice_size, tc_ifunc **fn_out, tc_error *err)
{
    const tci_given_code given = {code, code_size, slice_size};
    return tci_code_open(&loader->registry, &given, false, fn_out, err);
}

/* --- opened functions -------------------------------------------------------------------- */

tc_status tc_loader_resolve_sized(tc_ifunc *fn, tc_entry_points *entries_out,
                                  size_t entries_size, tc_error *err)
{
    /* Endpoints may have the entries of their functions exchanged or released. */
    if (fn->registry->events != NULL)
        return tci_error_set(err, TC_E_INVALID, "%s: is a context's, not a loader's",
                             tc_ifunc_name(fn));
    TC_TRY(tci_ifunc_load(fn, err));
    tc_entry_points entries = {.main = fn->entry.main, .payload_max_size = fn->entry.max_size};
    if (fn->entries & TCI_ENTRY_ORIGINAL)
        entries.original_init =
            (int (*)(void *, size_t, void *, size_t *))(uintptr_t)fn->entry.init;
    else
        entries.payload_init = fn->entry.init;
    tci_sized_struct_fill(entries_out, entries_size, &entries, sizeof entries);
    return TC_OK;
}

/* --- release 0.1: context/old_opens.h ----------------------------------------------------- */

tc_status tc_loader_open_memory(tc_loader *loader, const void *archive, size_t archive_size,
                                const char *deps, size_t deps_size, tc_ifunc **fn_out,
                                tc_error *err)
{
    const tc_code code = {.bytes = archive != NULL ? archive : "",
                          .size = archive_size,
                          .deps = deps,
                          .deps_size = deps_size};
    return tc_loader_open_code(loader, &code, fn_out, err);
}

tc_status tc_loader_open_bitcode_sized(tc_loader *loader, const char *name,
                                       const tc_bitcode *slices, size_t count,
                                       size_t slice_size, const char *deps, size_t deps_size,
                                       tc_ifunc **fn_out, tc_error *err)
{
    const tc_code code = {.name = name,
                          .slices = slices != NULL ? slices : (const void *)"",
                          .slice_count = count,
                          .deps = deps,
                          .deps_size = deps_size};
    return tc_loader_open_code_sized(loader, &code, sizeof code, slice_size, fn_out, err);
}
