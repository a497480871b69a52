/* Public calls about functions. */
#include "context/context_object.h"

#include "base/error_text.h"
#include "ifunc/code_open.h"
#include "ifunc/holes_ops.h"
#include "wire/frame.h"

#include <tc/advanced.h>
#include <tc/loader.h>

tc_status tc_ifunc_open_code_sized(tc_context *ctx, const tc_code *code, size_t code_size,
                                   size_t slice_size, tc_ifunc **fn_out, tc_error *err)
{
    const tci_given_code given = {code, code_size, slice_size};
    return tci_code_open(&ctx->core.registry, &given, false, fn_out, err);
}

tc_status tc_ifunc_open(tc_context *ctx, const char *name, tc_ifunc **fn_out, tc_error *err)
{
    return tc_ifunc_open_code(ctx, &(tc_code){.name = name}, fn_out, err);
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
    if (fn->unfilled)
        return fn->registry->holes->refuse(fn, err);
    /* A peer's slot may hold it since it was closed here. */
    if (fn->state == TCI_LOADED && fn->entry.main == local->main &&
        fn->entry.max_size == local->max_size && fn->entry.init == local->init)
        return TC_OK;
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
