/* The parts below release 0.1.0 in a world, compiled with that release's headers: the code
 * engine runs functions of the process by their names, and the functions that the simulator
 * replaces in today's library are replaced here, too. */
#include "archive.h"
#include "base/error_text.h"
#include "base/fork_guard.h"
#include "base/live_process.h"
#include "bootstrap/host_id.h"
#include "bootstrap/socket_user.h"
#include "delivery/pages.h"
#include "engine/code_map.h"
#include "engine/injector.h"
#include "engine/load_queue.h"
#include "engine/symbol_policy.h"
#include "image.h"
#include "old_peer.h"

#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 64u

/* --- the process ------------------------------------------------------------------------- */

void tci_host_id(uint8_t id_out[TCI_HOST_ID_BYTES])
{
    old_host_id(id_out);
}

tci_live_process tci_live_process_find(pid_t pid)
{
    tci_live_process found = {.pid = pid};
    found.started = old_process_started(pid);
    return found;
}

bool tci_live_process_is_gone(const tci_live_process *process)
{
    return old_process_has_ended(process->pid, 0);
}

bool tci_live_process_has_ended(const tci_live_process *process)
{
    return old_process_has_ended(process->pid, process->started);
}

void tci_fork_guard_add(tci_fork_guard *guard, void (*give_up)(tci_fork_guard *guard))
{
    (void)guard, (void)give_up;
}

void tci_fork_guard_remove(tci_fork_guard *guard)
{
    (void)guard;
}

void *tci_pages_map(size_t bytes)
{
    return calloc(1, bytes);
}

void tci_pages_unmap(void *pages, size_t bytes)
{
    (void)bytes;
    free(pages);
}

tc_status tci_socket_user_of_peer(int fd, bool accepted, uid_t *user_out, tc_error *err)
{
    (void)fd, (void)accepted, (void)err;
    *user_out = old_user();
    return TC_OK;
}

/* --- the code engine --------------------------------------------------------------------- */

struct tci_code_unit {
    tci_entries entries;
};

struct tci_engine_handle {
    char unused;
};

tc_status tci_engine_acquire(const tci_engine_opts *opts, tci_engine_handle **handle_out,
                             tc_error *err)
{
    (void)opts;
    *handle_out = calloc(1, sizeof **handle_out);
    return *handle_out != NULL ? TC_OK : tci_error_set(err, TC_E_NO_MEMORY, "engine");
}

void tci_engine_release(tci_engine_handle *handle)
{
    free(handle);
}

void tci_engine_set_profiled(tci_engine_handle *handle)
{
    (void)handle;
}

void tci_engine_set_notify(tci_engine_handle *handle, void (*notify)(void *user), void *user)
{
    (void)handle, (void)notify, (void)user;
}

tc_status tci_engine_start(tci_engine_handle *handle, tc_error *err)
{
    (void)handle, (void)err;
    return TC_OK;
}

tc_status tci_engine_start_compilers(tci_engine_handle *handle, tc_error *err)
{
    (void)handle, (void)err;
    return TC_OK;
}

void tci_engine_prepare(tci_engine_handle *handle)
{
    (void)handle;
}

const char *tci_engine_llvm_version(const char *engine_path)
{
    (void)engine_path;
    return NULL;
}

const char *tci_engine_cpu(const tci_engine_handle *handle)
{
    (void)handle;
    return "";
}

const char *tci_engine_features(const tci_engine_handle *handle)
{
    (void)handle;
    return "";
}

void tci_engine_forget_stored(tci_engine_handle *handle, const tci_content_id *id)
{
    (void)handle, (void)id;
}

tci_code_arena *tci_engine_arena(tci_engine_handle *handle)
{
    (void)handle;
    return NULL;
}

bool tci_engine_takes_images(const tci_engine_handle *handle)
{
    (void)handle;
    return true;
}

tc_status tci_code_unit_load(tci_engine_handle *handle, const tci_load_source *source,
                             tci_code_unit **unit_out, tc_error *err)
{
    const char *name = tci_archive_name(source->archive);
    (void)handle;
    if (source->deps_size > 0) /* as the reader of the list finds in "tc:NAME" */
        return tci_error_set(err, TC_E_CORRUPT, "%s: deps: a line that is no library", name);
    void (*main)(void *, size_t, void *) = old_function(name);
    if (main == NULL)
        return tci_error_set(err, TC_E_UNRESOLVED, "%s: no function of this name", name);
    *unit_out = calloc(1, sizeof **unit_out);
    if (*unit_out == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    (*unit_out)->entries.main = main;
    return TC_OK;
}

tc_status tci_load_queue_begin(tci_engine_handle *handle, const tci_load_source *source,
                               tci_code_unit **unit_out, tci_load_job **job_out, tc_error *err)
{
    (void)job_out;
    return tci_code_unit_load(handle, source, unit_out, err);
}

tc_status tci_load_queue_begin_tier_up(tci_engine_handle *handle, const tci_load_source *source,
                                       tci_code_unit *unit, tci_load_job **job_out,
                                       tc_error *err)
{
    (void)handle, (void)source, (void)unit, (void)job_out;
    return tci_error_set(err, TC_E_UNSUPPORTED, "no better code in a simulation");
}

bool tci_load_queue_is_done(const tci_load_job *job)
{
    (void)job;
    return true;
}

bool tci_load_queue_is_begun(const tci_load_job *job)
{
    (void)job;
    return true;
}

tc_status tci_load_queue_finish(tci_load_job *job, tci_code_unit **unit_out, tc_error *err)
{
    (void)job, (void)unit_out;
    return tci_error_set(err, TC_E_UNSUPPORTED, "no loads by threads");
}

void tci_load_queue_cancel(tci_load_job *job)
{
    (void)job;
}

void tci_code_unit_unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    (void)handle;
    free(unit);
}

const tci_entries *tci_code_unit_entries(const tci_code_unit *unit)
{
    return &unit->entries;
}

bool tci_code_unit_may_tier_up(const tci_code_unit *unit)
{
    (void)unit;
    return false;
}

bool tci_code_unit_has_state(const tci_code_unit *unit)
{
    (void)unit;
    return false;
}

size_t tci_code_unit_memory(const tci_code_unit *unit)
{
    (void)unit;
    return 4096;
}

void tci_code_unit_report(const tci_code_unit *unit, tc_load_report *report_out)
{
    (void)unit, (void)report_out;
}

bool tci_code_map_find(uintptr_t address, tci_found_code *found_out)
{
    (void)address, (void)found_out;
    return false;
}

tc_status tci_symbol_policy_open(const char *option, tci_symbol_policy **policy_out,
                                 tc_error *err)
{
    (void)option, (void)err;
    *policy_out = NULL;
    return TC_OK;
}

void tci_symbol_policy_close(tci_symbol_policy *policy)
{
    (void)policy;
}

const tci_symbol_section *tci_symbol_policy_section(const tci_symbol_policy *policy,
                                                    const char *signer)
{
    (void)policy, (void)signer;
    return NULL;
}

/* --- injected code ----------------------------------------------------------------------- */

static const char of_all[1];

tc_status tci_injector_create(tci_code_arena *arena, bool takes_images,
                              const tci_symbol_scope *scope, tci_injector **injector_out,
                              tc_error *err)
{
    (void)arena, (void)takes_images, (void)scope, (void)err;
    *injector_out = (tci_injector *)(uintptr_t)of_all;
    return TC_OK;
}

void tci_injector_destroy(tci_injector *injector)
{
    (void)injector;
}

tc_status tci_injector_place(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                             size_t rest_size, void (**main_out)(void *, size_t, void *),
                             tc_error *err)
{
    tci_image image;
    char name[NAME_BYTES] = "";
    (void)injector, (void)rest_size;
    TC_TRY(tci_image_open(bytes, image_size, &image, err));
    const tci_image_segment *code = tci_image_segment_at(&image, image.main_place, 1);
    if (code != NULL && image.main_place - code->place < code->file_bytes) {
        const uint32_t at = image.main_place - code->place, left = code->file_bytes - at;
        const size_t length = strnlen((const char *)code->bytes + at, left);
        memcpy(name, code->bytes + at, length < sizeof name ? length : 0);
    }
    *main_out = old_function(name);
    return *main_out != NULL
               ? TC_OK
               : tci_error_set(err, TC_E_UNRESOLVED, "injected code: no function");
}
