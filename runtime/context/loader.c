/* A registry of functions without endpoints around it. */
#include "context/context_object.h"

#include "archive.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "context/host_symbols.h"
#include "ifunc/ifunc_load.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <tc/loader.h>

struct tc_loader {
    struct tc_options options;
    tci_host_symbol *symbols;
    tci_registry registry;
};

/* What a program gave: `count` structs of `size` bytes each, as it was compiled with. */
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

/* Without calls through a registry nobody counts them, so better code would never come. */
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
    loader->options = *opts;
    settle_tier(&loader->options);
    TC_TRY(copy_symbols(loader, symbols, err));
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
    free(loader->symbols);
    free(loader);
}

tc_status tc_loader_open_memory(tc_loader *loader, const void *archive, size_t archive_size,
                                const char *deps, size_t deps_size, tc_ifunc **fn_out,
                                tc_error *err)
{
    const tci_registry_code code = {.archive = archive,
                                    .archive_size = archive_size,
                                    .deps = deps,
                                    .deps_size = deps == NULL ? 0 : deps_size};
    return tci_registry_add(&loader->registry, &code, fn_out, err);
}

/* --- bitcode ----------------------------------------------------------------------------- */

/* Bitcode keeps its names in one fragment, so a name that is there can be found without reading
 * the rest. One that is only used, or only part of another, is refused when it is compiled. */
static bool has_name(const tc_bitcode *slice, const char *name, const char *suffix)
{
    char symbol[TCI_ARCHIVE_NAME_MAX + 32];
    int n = snprintf(symbol, sizeof symbol, "%s_%s", name, suffix);
    return n > 0 && memmem(slice->bytes, slice->size, symbol, (size_t)n) != NULL;
}

static unsigned entries_of(const tc_bitcode *slice, const char *name)
{
    const unsigned both = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT;
    if (!has_name(slice, name, "payload_init"))
        return TCI_ENTRY_MAIN;
    if (has_name(slice, name, "payload_bound"))
        return both | TCI_ENTRY_ORIGINAL;
    return has_name(slice, name, "payload_get_max_size") ? both : TCI_ENTRY_MAIN;
}

/* What that name stands for only LLVM could read, so payloads get the most. */
static unsigned alignment_of(const tc_bitcode *slice, const char *name)
{
    return has_name(slice, name, "payload_alignment") ? TCI_PAYLOAD_ALIGNMENT_MAX
                                                      : TCI_PAYLOAD_ALIGNMENT_MIN;
}

/* The slices that a program gave: `count` structs of `size` bytes each. */
typedef struct given_bitcode {
    const tc_bitcode *first;
    size_t count, size;
} given_bitcode;

static tc_status read_slice(const given_bitcode *given, size_t at, tc_bitcode *bitcode_out,
                            tc_error *err)
{
    return tci_sized_struct_read(bitcode_out, sizeof *bitcode_out,
                                 (const char *)given->first + at * given->size, given->size,
                                 err);
}

static tc_status write_archive(tci_archive_writer *writer, const given_bitcode *given,
                               void **bytes_out, size_t *size_out, tc_error *err)
{
    tc_bitcode bitcode;
    for (size_t i = 0; i < given->count; i++) {
        tci_slice slice = {.form = TCI_FORM_BITCODE};
        TC_TRY(read_slice(given, i, &bitcode, err));
        if (bitcode.triple == NULL ||
            !tci_triple_normalise(bitcode.triple, strlen(bitcode.triple), slice.triple))
            return tci_error_set(err, TC_E_INVALID, "bitcode %zu: '%.80s' is no target triple",
                                 i, bitcode.triple != NULL ? bitcode.triple : "");
        TC_TRY(
            tci_archive_writer_add(writer, &slice, bitcode.bytes, bitcode.size, NULL, 0, err));
    }
    return tci_archive_writer_finish(writer, bytes_out, size_out, err);
}

tc_status tc_loader_open_bitcode_sized(tc_loader *loader, const char *name,
                                       const tc_bitcode *slices, size_t count,
                                       size_t slice_size, const char *deps, size_t deps_size,
                                       tc_ifunc **fn_out, tc_error *err)
{
    const given_bitcode given = {slices, count, slice_size};
    tc_bitcode first;
    tci_archive_writer *writer;
    void *archive = NULL;
    size_t size = 0;
    if (count == 0)
        return tci_error_set(err, TC_E_INVALID, "no bitcode");
    TC_TRY(read_slice(&given, 0, &first, err));
    TC_TRY(tci_archive_writer_create(name, entries_of(&first, name), &writer, err));
    tc_status status = tci_archive_writer_align(writer, alignment_of(&first, name), err);
    if (status == TC_OK)
        status = write_archive(writer, &given, &archive, &size, err);
    tci_archive_writer_destroy(writer);
    if (status == TC_OK)
        status = tc_loader_open_memory(loader, archive, size, deps, deps_size, fn_out, err);
    free(archive);
    return status;
}

/* --- what was opened --------------------------------------------------------------------- */

tc_status tc_loader_resolve_sized(tc_ifunc *fn, tc_entry_points *entries_out,
                                  size_t entries_size, tc_error *err)
{
    /* Endpoints may have the entries of theirs exchanged, or let go. */
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

const void *tc_ifunc_archive(const tc_ifunc *fn, size_t *size_out)
{
    *size_out = fn->archive_size;
    return fn->code + TCI_CODE_SECTION_BYTES;
}

const char *tc_ifunc_deps(const tc_ifunc *fn, size_t *size_out)
{
    *size_out = tc_ifunc_code_size(fn) - fn->archive_size;
    return (const char *)fn->code + TCI_CODE_SECTION_BYTES + fn->archive_size;
}
