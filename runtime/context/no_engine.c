/* The public functions of the module engine in a build without it: they report that it is
 * absent. Without it no code is loaded and none is stored. */
#include "context/absent.h"
#include "context/old_opens.h"

#include <tc/cache.h>
#include <tc/code.h>
#include <tc/loader.h>

TCI_ABSENT("engine", tc_loader_create_sized, const tc_options *opts, const tc_symbol *symbols,
           size_t symbol_count, size_t symbol_size, tc_loader **loader_out)
void tc_loader_destroy(tc_loader *loader)
{
}
TCI_ABSENT("engine", tc_loader_open_code_sized, tc_loader *loader, const tc_code *code,
           size_t code_size, size_t slice_size, tc_ifunc **fn_out)
TCI_ABSENT("engine", tc_loader_open_memory, tc_loader *loader, const void *archive,
           size_t archive_size, const char *deps, size_t deps_size, tc_ifunc **fn_out)
TCI_ABSENT("engine", tc_loader_open_bitcode_sized, tc_loader *loader, const char *name,
           const tc_bitcode *slices, size_t count, size_t slice_size, const char *deps,
           size_t deps_size, tc_ifunc **fn_out)
TCI_ABSENT("engine", tc_loader_resolve_sized, tc_ifunc *fn, tc_entry_points *entries_out,
           size_t entries_size)
TCI_ABSENT("engine", tc_cache_list_sized, const tc_options *opts, tc_cache_visit visit,
           void *user, tc_cache_totals *totals_out, size_t totals_size)
TCI_ABSENT("engine", tc_cache_clear_sized, const tc_options *opts, tc_cache_totals *removed_out,
           size_t removed_size)

size_t tc_code_name(const void *address, char *text, size_t size)
{
    if (size > 0)
        text[0] = '\0';
    return 0;
}
