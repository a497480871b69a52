/* One way to open code for all public calls. Each source has the fields that belong to it; any
 * other field that is set is refused, as it would be ignored in silence. */
#include "ifunc/code_open.h"

#include "base/error_text.h"
#include "base/module_absent.h"
#include "base/sized_struct.h"
#include "ifunc/bitcode_slices.h"
#include "ifunc/ifunc_files.h"

#include <string.h>

/* Returns the sources that are set. */
static unsigned sources_of(const tc_code *code)
{
    const unsigned name = code->name != NULL && code->slices == NULL ? TCI_CODE_NAME : 0;
    return name | (code->path != NULL ? TCI_CODE_PATH : 0) |
           (code->bytes != NULL ? TCI_CODE_BYTES : 0) |
           (code->slices != NULL ? TCI_CODE_SLICES : 0);
}

tc_status tci_code_open_read(const tci_given_code *given, unsigned allowed, tc_code *code_out,
                             tc_error *err)
{
    TC_TRY(
        tci_sized_struct_read(code_out, sizeof *code_out, given->code, given->code_size, err));
    const unsigned source = sources_of(code_out);
    if (source == 0 || (source & (source - 1)) != 0 || (source & allowed) == 0)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_code: found sources %#x, expected one of %#x (1: name alone, "
                             "2: path, 4: bytes, 8: slices)",
                             source, allowed);
    if ((code_out->deps != NULL && source < TCI_CODE_BYTES) ||
        (code_out->signature != NULL && source != TCI_CODE_BYTES) ||
        (source == TCI_CODE_SLICES && code_out->name == NULL) ||
        (source != TCI_CODE_SLICES && code_out->prototype != NULL))
        return tci_error_set(err, TC_E_INVALID,
                             "tc_code: expected deps with bytes or slices, signature with "
                             "bytes, name with slices, and prototype with slices");
    return TC_OK;
}

static tc_status open_bytes(tci_registry *registry, const tc_code *code, tc_ifunc **fn_out,
                            tc_error *err)
{
    const tci_registry_code parts = {.archive = code->bytes,
                                     .archive_size = code->size,
                                     .deps = code->deps,
                                     .deps_size = code->deps == NULL ? 0 : code->deps_size,
                                     .signature_text = code->signature,
                                     .signature_text_size = code->signature_size};
    return tci_registry_add(registry, &parts, fn_out, err);
}

static tc_status open_slices(tci_registry *registry, const tc_code *code,
                             const tci_bitcode_slices *slices, tc_ifunc **fn_out, tc_error *err)
{
    if (registry->loading == NULL)
        return tci_module_absent("a function of bitcode (tc_code.slices)", "engine", err);
    return registry->loading->open_slices(registry, code->name, slices, code->deps,
                                          code->deps_size, fn_out, err);
}

/* A loader has no events; its functions are made without haste, as they are not sent. */
static tc_status open_source(tci_registry *registry, const tc_code *code, size_t slice_size,
                             tc_ifunc **fn_out, tc_error *err)
{
    const tci_bitcode_slices slices = {code->slices, code->slice_count, slice_size,
                                       code->prototype, registry->events != NULL};
    if (code->slices != NULL)
        return open_slices(registry, code, &slices, fn_out, err);
    if (code->bytes != NULL)
        return open_bytes(registry, code, fn_out, err);
    return code->path != NULL ? tci_ifunc_files_read(registry, code->path, fn_out, err)
                              : tci_ifunc_files_read_named(registry, code->name, fn_out, err);
}

static tc_status check(const tc_ifunc *fn, const tc_code *code, bool library, tc_error *err)
{
    const char *name = tci_archive_name(fn->archive);
    if (tci_archive_is_library(fn->archive) != library)
        return tci_error_set(err, TC_E_INVALID,
                             library ? "%s is a function, expected a library"
                                     : "%s is a library, expected a function; a context takes "
                                       "it by tc_library_open",
                             name);
    if (code->id != NULL && memcmp(code->id, fn->id.bytes, sizeof fn->id.bytes) != 0)
        return tci_error_set(err, TC_E_VERSION, "%s has another content id than expected",
                             name);
    return TC_OK;
}

tc_status tci_code_open(tci_registry *registry, const tci_given_code *given, bool library,
                        tc_ifunc **fn_out, tc_error *err)
{
    tc_code code;
    tc_ifunc *fn;
    TC_TRY(tci_code_open_read(given, ~0u, &code, err));
    TC_TRY(open_source(registry, &code, given->slice_size, &fn, err));
    tc_status status = check(fn, &code, library, err);
    if (status == TC_OK)
        *fn_out = fn;
    else
        tci_registry_release(fn);
    return status;
}
