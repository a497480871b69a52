/* The module libraries reads the symbols of units, so they are objects of the library's own
 * kind, of which the world fills the entries and the symbols alone. */
#include "sim_unit.h"

#include "sim_function.h"

#include "base/error_text.h"
#include "base/triple.h"
#include "core/current.h"
#include "engine/code_unit_object.h"
#include "ifunc/registry.h"

#include <stdlib.h>
#include <string.h>

enum { AT_INIT, AT_FINI, ENTRIES }; /* docs/archive-format.md */

typedef struct whole_unit {
    tci_code_unit base; /* first */
    void *table[];      /* of a library */
} whole_unit;

void sim_unit_prepare(void)
{
    tci_symbols_prepare();
}

static void fill_table(const tci_archive *archive, void **table)
{
    table[AT_INIT] = table[AT_FINI] = NULL;
    for (size_t i = 0; i < tci_archive_export_count(archive); i++) {
        const tci_export export = tci_archive_export(archive, i);
        table[ENTRIES + i] = export.kind == TCI_EXPORT_DATA
                                 ? (void *)(uintptr_t)tci_archive_slice_bytes(archive, 0)
                                 : (void *)(uintptr_t)sim_function_find(export.name);
    }
}

static tc_status bind(const tci_load_source *source, tci_symbols **symbols_out, tc_error *err)
{
    *symbols_out = NULL;
    if (source->deps_size == 0)
        return TC_OK;
    tc_status status =
        tci_symbols_create(source->deps, source->deps_size, &source->scope, symbols_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", tci_archive_name(source->archive));
    return status;
}

/* An archive may be for other targets alone, as that of the windows' function is for none. */
static bool is_for_nodes(const tci_archive *archive)
{
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        if (strcmp(tci_archive_slice(archive, i)->triple, tci_triple_host()) == 0)
            return true;
    }
    return false;
}

tc_status sim_unit_make(const tci_load_source *source, tci_code_unit **unit_out, tc_error *err)
{
    const char *name = tci_archive_name(source->archive);
    const bool is_library = tci_archive_is_library(source->archive);
    const size_t exports = tci_archive_export_count(source->archive);
    sim_function *main = sim_function_find(name);
    if (main == NULL && !is_library && !is_for_nodes(source->archive))
        return tci_error_set(err, TC_E_NO_SLICE, "%s: no slice for %s", name,
                             tci_triple_host());
    if (main == NULL && !is_library)
        return tci_error_set(err, TC_E_UNRESOLVED,
                             "%s: no function of this name; tc_sim_function binds one", name);
    whole_unit *u = calloc(1, sizeof *u + (ENTRIES + exports) * sizeof u->table[0]);
    if (u == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    tc_status status = bind(source, &u->base.symbols, err);
    if (status != TC_OK) {
        free(u);
        return status;
    }
    u->base.code.entries.main = main;
    fill_table(source->archive, u->table);
    *unit_out = &u->base;
    return TC_OK;
}

tc_status sim_unit_rebind(const tci_load_source *source, tci_code_unit *unit, tc_error *err)
{
    tci_symbols *symbols;
    TC_TRY(bind(source, &symbols, err));
    tci_symbols_destroy(unit->symbols);
    unit->symbols = symbols;
    return TC_OK;
}

void sim_unit_free(tci_code_unit *unit)
{
    if (unit != NULL)
        tci_symbols_destroy(unit->symbols);
    free(unit);
}

const tci_entries *sim_unit_entries(const tci_code_unit *unit)
{
    return &unit->code.entries;
}

bool sim_unit_is_old(const tci_code_unit *unit)
{
    return tci_symbols_are_old(unit->symbols);
}

void *sim_unit_symbol(const char *symbol)
{
    const tc_ifunc *fn = tci_current_get()->fn;
    const tci_library *library;
    void *address = NULL;
    if (fn == NULL || fn->unit == NULL)
        return NULL;
    for (size_t i = 0;
         address == NULL && (library = tci_symbols_library(fn->unit->symbols, i)) != NULL; i++)
        address = tci_library_find(library, symbol, NULL);
    return address;
}

void *const *__wrap_tci_code_unit_table(const tci_code_unit *base)
{
    return ((const whole_unit *)(const void *)base)->table;
}
