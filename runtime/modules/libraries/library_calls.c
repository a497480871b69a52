/* Public calls about libraries that travel. A process that wants a library in force at another
 * one, or withdrawn, calls that library: the payload names the operation, and the code that
 * runs is this file's, because a library has no main of its own. So libraries travel, and are
 * checked, as functions are. */
#include "modules/libraries/library_calls.h"

#include "base/backoff.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "context/context_object.h"
#include "core/current.h"
#include "ifunc/code_open.h"
#include "ifunc/ifunc_load.h"
#include "modules/libraries/libraries.h"
#include "transfer/frame_out.h"

#include <string.h>
#include <tc/call.h>
#include <tc/entry.h>
#include <tc/library.h>

/* The one byte of such a payload: docs/wire-format.md. */
enum { PUT = 1, WITHDRAW = 2 };

/* Returns the same object: a library is a function with an archive that is marked so. */
static tc_ifunc *function_of(const tc_library *library)
{
    return (tc_ifunc *)(uintptr_t)library;
}

/* --- requests of peers -------------------------------------------------------------------- */

static tc_status obey(const uint8_t *payload, size_t size, tc_error *err)
{
    const tci_current *current = tci_current_get();
    const char *name = tci_archive_name(current->fn->archive);
    if (!current->ep->core->options.take_libraries)
        return tci_error_set(err, TC_E_REFUSED,
                             "library %s: this node takes none (option take_libraries)", name);
    if (size != 1 || (*payload != PUT && *payload != WITHDRAW))
        return tci_error_set(
            err, TC_E_CORRUPT,
            "library %s: a message of %zu bytes that begins with %u, expected one "
            "byte, 1 or 2",
            name, size, size > 0 ? *payload : 0);
    return *payload == PUT ? tci_libraries_put(current->fn, tc_self_identity(), err)
                           : tci_libraries_withdraw(current->fn, tc_self_identity(), err);
}

void tci_library_calls_main(void *payload, size_t payload_size, void *target_args)
{
    tc_error error;
    (void)target_args;
    if (obey(payload, payload_size, &error) == TC_OK)
        (void)tc_reply(NULL, 0);
    else
        (void)tc_reply_error(error.status, error.text);
}

static tc_status order(tc_ep *ep, tc_library *library, uint8_t what, uint64_t timeout_ns,
                       tc_error *err)
{
    tci_frame_out_retry(ep, function_of(library));
    return tc_call(ep, function_of(library), &what, sizeof what, NULL, NULL, timeout_ns, err);
}

tc_status tc_library_push(tc_ep *ep, tc_library *library, uint64_t timeout_ns, tc_error *err)
{
    tc_status status = order(ep, library, PUT, timeout_ns, err);
    if (status == TC_OK)
        tci_frame_out_retry(ep, NULL);
    return status;
}

tc_status tc_library_withdraw(tc_ep *ep, tc_library *library, uint64_t timeout_ns,
                              tc_error *err)
{
    return order(ep, library, WITHDRAW, timeout_ns, err);
}

/* --- handles ------------------------------------------------------------------------------ */

tc_status tc_library_open_code_sized(tc_context *ctx, const tc_code *code, size_t code_size,
                                     size_t slice_size, tc_library **library_out, tc_error *err)
{
    const tci_given_code given = {code, code_size, slice_size};
    tc_ifunc *fn;
    TC_TRY(tci_code_open(&ctx->core.registry, &given, true, &fn, err));
    *library_out = (tc_library *)fn;
    return TC_OK;
}

tc_status tc_library_open(tc_context *ctx, const char *name, tc_library **library_out,
                          tc_error *err)
{
    return tc_library_open_code(ctx, &(tc_code){.name = name}, library_out, err);
}

void tc_library_close(tc_library *library)
{
    if (library != NULL)
        tci_registry_release(function_of(library));
}

const char *tc_library_name(const tc_library *library)
{
    return tci_archive_name(function_of(library)->archive);
}

void tc_library_id(const tc_library *library, uint8_t id_out[TC_IFUNC_ID_BYTES])
{
    memcpy(id_out, function_of(library)->id.bytes, TC_IFUNC_ID_BYTES);
}

/* --- at this node ------------------------------------------------------------------------- */

/* Waits until a leaving library has ended. A push waits in its ring (dispatch/slots.c). */
static void await_end(tci_registry *registry, const tc_ifunc *fn)
{
    tci_backoff backoff = {0};
    while (tci_libraries_is_leaving(fn)) {
        tci_registry_take_finished(registry);
        tci_libraries_collect(registry);
        tci_backoff_pause(&backoff, UINT64_MAX);
    }
}

tc_status tc_library_install(tc_context *ctx, tc_library *library, tc_error *err)
{
    tc_ifunc *fn = function_of(library);
    if (tci_core_is_busy(&ctx->core))
        return tci_error_set(err, TC_E_BUSY, "tc_library_install from inside an ifunc");
    await_end(&ctx->core.registry, fn);
    TC_TRY(tci_ifunc_load(fn, err));
    const unsigned outer = tci_pending_enter(&ctx->core.pending, TCI_RUNNING);
    tc_status status = tci_libraries_put(fn, NULL, err);
    tci_pending_leave(&ctx->core.pending, TCI_RUNNING, outer);
    return status;
}

tc_status tc_library_remove(tc_context *ctx, const char *name, tc_error *err)
{
    if (tci_core_is_busy(&ctx->core))
        return tci_error_set(err, TC_E_BUSY, "tc_library_remove from inside an ifunc");
    tci_library *library = tci_library_set_find(ctx->core.registry.scope.libraries, name);
    if (library == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "no library %.80s is in force here", name);
    const unsigned outer = tci_pending_enter(&ctx->core.pending, TCI_RUNNING);
    tc_status status = tci_libraries_withdraw(tci_libraries_function(library), NULL, err);
    tci_pending_leave(&ctx->core.pending, TCI_RUNNING, outer);
    return status;
}

static void describe(const tci_registry *registry, const tci_library *library,
                     tc_library_info *info)
{
    const tc_ifunc *fn = tci_libraries_function(library);
    *info = (tc_library_info){.symbols = tci_archive_export_count(fn->archive),
                              .memory_bytes = tci_registry_unit_bytes(fn),
                              .order = library->order};
    strncpy(info->name, tci_archive_name(fn->archive), sizeof info->name - 1);
    strncpy(info->owner, tci_libraries_owner(library), sizeof info->owner - 1);
    memcpy(info->id, fn->id.bytes, sizeof info->id);
    tci_libraries_count_users(registry, library, &info->functions, &info->libraries);
}

size_t tc_library_list_sized(tc_context *ctx, tc_library_info *infos, size_t count,
                             size_t info_size)
{
    const tci_registry *registry = &ctx->core.registry;
    const tci_library *library = tci_library_set_first(registry->scope.libraries);
    size_t n = 0;
    for (; library != NULL; library = library->next, n++) {
        tc_library_info info;
        if (n >= count)
            continue;
        describe(registry, library, &info);
        tci_sized_struct_fill((char *)infos + n * info_size, info_size, &info, sizeof info);
    }
    return n;
}

void *tc_library_symbol(tc_context *ctx, const char *library, const char *symbol)
{
    const tci_library *found =
        tci_library_set_find(ctx->core.registry.scope.libraries, library);
    return found != NULL ? tci_library_find(found, symbol, NULL) : NULL;
}

void *tc_library_older(const char *symbol)
{
    return tci_libraries_older(symbol);
}
