/* Public calls about functions. */
#include "context/context_object.h"

#include "base/error_text.h"
#include "ifunc/bitcode_slices.h"
#include "ifunc/ifunc_files.h"
#include "wire/frame.h"

#include <tc/ifunc.h>

/* Takes over `fn`, and refuses it if it is a library. */
static tc_status function_only(tc_ifunc *fn, tc_ifunc **fn_out, tc_error *err)
{
    tc_status status = TC_OK;
    if (!tci_archive_is_library(fn->archive))
        *fn_out = fn;
    else
        status = tci_error_set(err, TC_E_INVALID,
                               "%s is a library, expected a function; tc_library_open opens it",
                               tci_archive_name(fn->archive));
    if (status != TC_OK)
        tci_registry_release(fn);
    return status;
}

tc_status tc_ifunc_open(tc_context *ctx, const char *name, tc_ifunc **fn_out, tc_error *err)
{
    tc_ifunc *fn;
    TC_TRY(tci_ifunc_files_read_named(&ctx->core.registry, name, &fn, err));
    return function_only(fn, fn_out, err);
}

tc_status tc_ifunc_open_file(tc_context *ctx, const char *path, tc_ifunc **fn_out,
                             tc_error *err)
{
    tc_ifunc *fn;
    TC_TRY(tci_ifunc_files_read(&ctx->core.registry, path, &fn, err));
    return function_only(fn, fn_out, err);
}

tc_status tc_ifunc_open_memory(tc_context *ctx, const void *archive, size_t archive_size,
                               const char *deps, size_t deps_size, tc_ifunc **fn_out,
                               tc_error *err)
{
    return tc_ifunc_open_signed(ctx, archive, archive_size, deps, deps_size, NULL, 0, fn_out,
                                err);
}

tc_status tc_ifunc_open_signed(tc_context *ctx, const void *archive, size_t archive_size,
                               const char *deps, size_t deps_size, const char *signature,
                               size_t signature_size, tc_ifunc **fn_out, tc_error *err)
{
    tc_ifunc *fn;
    TC_TRY(tci_ifunc_files_take(&ctx->core.registry, archive, archive_size, deps, deps_size,
                                signature, signature_size, &fn, err));
    return function_only(fn, fn_out, err);
}

tc_status tc_ifunc_open_bitcode_sized(tc_context *ctx, const char *name,
                                      const tc_bitcode *slices, size_t count, size_t slice_size,
                                      const char *deps, size_t deps_size, tc_ifunc **fn_out,
                                      tc_error *err)
{
    const tci_bitcode_slices given = {slices, count, slice_size, true};
    return tci_bitcode_slices_open(&ctx->core.registry, name, &given, deps, deps_size, fn_out,
                                   err);
}

const char *tc_ifunc_signer(const tc_ifunc *fn)
{
    return fn->signer;
}

void tc_ifunc_close(tc_ifunc *fn)
{
    if (fn != NULL)
        tci_registry_release(fn);
}

static tc_status use_local(tc_ifunc *fn, const tci_entries *local, tc_error *err)
{
    const char *name = tci_archive_name(fn->archive);
    if (local->main == NULL)
        return tci_error_set(err, TC_E_INVALID, "%s: no local function was given", name);
    if (fn->state != TCI_NOT_LOADED)
        return tci_error_set(err, TC_E_INVALID, "%s: it was loaded already", name);
    fn->entry = *local;
    fn->state = TCI_LOADED;
    return TC_OK;
}

tc_status tc_ifunc_use_local(tc_ifunc *fn,
                             void (*main)(void *payload, size_t payload_size,
                                          void *target_args),
                             tc_error *err)
{
    if (main != NULL && (fn->entries & TCI_ENTRY_INIT) != 0)
        return tci_error_set(
            err, TC_E_INVALID,
            "%s: it makes its payloads, so one function of this process cannot "
            "stand in for it: tc_ifunc_use_local_entries takes all three",
            tci_archive_name(fn->archive));
    return use_local(fn, &(tci_entries){.main = main}, err);
}

tc_status tc_ifunc_use_local_entries(
    tc_ifunc *fn, void (*main)(void *payload, size_t payload_size, void *target_args),
    size_t (*payload_get_max_size)(void *source_args, size_t source_args_size),
    int (*payload_init)(void *payload, size_t payload_size, void *source_args,
                        size_t source_args_size),
    tc_error *err)
{
    const char *name = tci_archive_name(fn->archive);
    const bool wanted = (fn->entries & TCI_ENTRY_INIT) != 0;
    if ((fn->entries & TCI_ENTRY_ORIGINAL) != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "%s: its payload functions are of the original's API", name);
    if (wanted != (payload_get_max_size != NULL) || wanted != (payload_init != NULL))
        return tci_error_set(err, TC_E_INVALID,
                             "%s: its archive defines %s payload functions, but %s and %s were "
                             "given",
                             name, wanted ? "both" : "no",
                             payload_get_max_size != NULL ? "payload_get_max_size"
                                                          : "no payload_get_max_size",
                             payload_init != NULL ? "payload_init" : "no payload_init");
    const tci_entries local = {
        .main = main, .max_size = payload_get_max_size, .init = payload_init};
    return use_local(fn, &local, err);
}

const char *tc_ifunc_name(const tc_ifunc *fn)
{
    return tci_archive_name(fn->archive);
}

size_t tc_ifunc_payload_alignment(const tc_ifunc *fn)
{
    return fn->alignment;
}

void tc_ifunc_id(const tc_ifunc *fn, uint8_t id_out[TC_IFUNC_ID_BYTES])
{
    memcpy(id_out, fn->id.bytes, TC_IFUNC_ID_BYTES);
}

size_t tc_ifunc_code_size(const tc_ifunc *fn)
{
    return fn->code_bytes - TCI_CODE_SECTION_BYTES;
}
