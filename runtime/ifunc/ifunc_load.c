/* The load state of one function. All changes of it happen in the context's thread; loader
 * threads only do the jobs that are begun and finished here. A load that was bound to a library
 * that has left meanwhile is bound or loaded again at its end. */
#include "ifunc_load.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/module_absent.h"
#include "ifunc/held_code.h"
#include "ifunc/libraries_ops.h"
#include "ifunc/trust_ops.h"
#include "wire/frame.h"

#include <stdio.h>
#include <stdlib.h>

/* More than any number of calls. */
#define NEVER UINT64_MAX
/* An image was optimised when it was made, and optimised code for it needs LLVM in this
 * process. */
#define IMAGE_PATIENCE 100u
/* The compiler's module and a process to compile in have to be started as well. */
#define IMAGE_TIME_PATIENCE 10u

static tci_load_source source_of(tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    const char *code = (const char *)fn->code + TCI_CODE_SECTION_BYTES;
    tci_load_source source = {.archive = fn->archive,
                              .deps = code + fn->archive_size,
                              .deps_size =
                                  fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size,
                              .scope = registry->scope,
                              .id = fn->id,
                              .work_ns = &fn->work_ns,
                              .form = fn->signer_form,
                              .seal.wanted = registry->trust != NULL && registry->trust->seals};
    source.scope.signer = fn->signer_name;
    if (source.seal.wanted)
        memcpy(source.seal.content, registry->trust->ops->content(fn),
               sizeof source.seal.content);
    return source;
}

/* Unloads a unit whose entries are not in use, at once or when no message waits in it. */
static void put_away(tc_ifunc *fn, tci_code_unit *unit)
{
    if (fn->held != NULL)
        fn->held->keep(fn, unit);
    else
        fn->registry->loading->unload(fn->registry->engine, unit);
}

/* --- jobs -------------------------------------------------------------------------------- */

static void add_job(tc_ifunc *fn, tci_load_job *job)
{
    TCI_INVARIANT(fn_job, fn->job == NULL && job != NULL);
    fn->job = job;
    fn->job_next = fn->registry->jobs;
    fn->registry->jobs = fn;
}

static tci_load_job *take_job(tc_ifunc *fn)
{
    tci_load_job *job = fn->job;
    tc_ifunc **link = &fn->registry->jobs;
    if (job == NULL)
        return NULL;
    while (*link != fn) {
        TCI_INVARIANT(fn_job, *link != NULL);
        link = &(*link)->job_next;
    }
    *link = fn->job_next;
    fn->job = NULL;
    return job;
}

static void cancel_job(tc_ifunc *fn)
{
    tci_load_job *job = take_job(fn);
    if (job != NULL)
        fn->registry->loading->cancel(job);
}

void tci_ifunc_load_announce(tc_ifunc *fn, bool tiered_up)
{
    const tci_registry *registry = fn->registry;
    if (registry->events != NULL)
        registry->events->changed(registry->events_user, fn, tiered_up);
}

/* --- the end of a load ------------------------------------------------------------------- */

static void count_from_now(tc_ifunc *fn)
{
    uint64_t calls = fn->registry->options->tier_calls;
    uint64_t time_ns = fn->registry->options->tier_time;
    tc_load_report report = {0};
    fn->registry->loading->report(fn->unit, &report);
    const bool stays =
        !fn->registry->loading->may_tier_up(fn->unit) || tci_archive_is_library(fn->archive);
    const bool is_image = report.path == TC_LOAD_IMAGE;
    calls = stays ? NEVER : calls * (is_image ? IMAGE_PATIENCE : 1);
    fn->calls_left = stays || time_ns == 0 ? calls : 1;
    fn->calls_seen = fn->calls_left;
    fn->count =
        (tci_call_count){.step = fn->calls_left,
                         .beyond = calls - fn->calls_left,
                         .time_left_ns = time_ns * (is_image ? IMAGE_TIME_PATIENCE : 1)};
}

static void count_stateless(tc_ifunc *fn)
{
    tci_registry *registry = fn->registry;
    registry->stateless -= fn->is_stateless;
    fn->is_stateless = fn->unit != NULL && !registry->loading->has_state(fn->unit);
    registry->stateless += fn->is_stateless;
}

static void set_loaded(tc_ifunc *fn, tci_code_unit *unit)
{
    TCI_INVARIANT(fn_unit, fn->unit == NULL && unit != NULL && fn->job == NULL);
    fn->unit = unit;
    fn->entry = *fn->registry->loading->entries(unit);
    if (tci_archive_is_library(fn->archive)) /* the library's own sends no reply */
        fn->entry.main = fn->registry->libraries != NULL ? fn->registry->libraries->main : NULL;
    fn->state = TCI_LOADED;
    TCI_INVARIANT(fn_code, !tci_use_order_has(&fn->code_link));
    tci_use_order_add(&fn->registry->code, &fn->code_link);
    count_stateless(fn);
    tci_registry_note_use(fn);
    fn->registry->code_memory += fn->registry->loading->memory(unit) + fn->code_bytes;
    count_from_now(fn);
}

static tc_status set_failed(tc_ifunc *fn, tc_error *failure, tc_error *err)
{
    TC_LOG(TC_LOG_INFO, "%s", failure->text);
    fn->entry = (tci_entries){0};
    TCI_INVARIANT(fn_failure, fn->load_error == NULL && failure != NULL);
    fn->load_error = failure;
    fn->state = TCI_LOAD_FAILED;
    fn->failure_told = err != NULL;
    if (err != NULL)
        *err = *failure;
    return failure->status;
}

static uint64_t library_changes(const tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    return registry->loading->library_changes(registry->scope.libraries);
}

/* Returns whether a loader's thread may have searched for a library, or in one, before another
 * library came into force. */
static bool is_out_of_date(const tc_ifunc *fn, tc_status status)
{
    return (status == TC_E_ABSENT || status == TC_E_UNRESOLVED || status == TC_E_VERSION) &&
           fn->changes != library_changes(fn);
}

/* Runs the constructors in this thread, which also runs the calls. */
static tc_status start(tc_ifunc *fn, tc_error *err)
{
    tc_error failure;
    tci_registry_retain(fn);
    tc_status status =
        fn->registry->loading->start_unit(fn->unit, tci_archive_name(fn->archive), &failure);
    if (status != TC_OK) {
        tci_ifunc_load_refuse(fn, &failure);
        fn->failure_told = err != NULL;
        if (err != NULL)
            *err = failure;
    }
    tci_registry_release(fn);
    return status;
}

/* Ends a load. Takes ownership of `failure`. */
static tc_status end_load(tc_ifunc *fn, tc_status status, tci_code_unit *unit,
                          tc_error *failure, tc_error *err)
{
    if (status != TC_OK && !is_out_of_date(fn, status))
        return set_failed(fn, failure, err);
    free(failure);
    if (status == TC_OK)
        set_loaded(fn, unit);
    else
        fn->state = TCI_NOT_LOADED;
    /* A loader's thread may have bound it to a library that has left since. */
    if (status == TC_OK && fn->registry->loading->is_old(unit))
        tci_ifunc_load_rebind(fn);
    return fn->state == TCI_LOADED ? start(fn, err) : tci_ifunc_load_soon(fn, err);
}

static tc_status finish_load(tc_ifunc *fn, tc_error *err)
{
    tci_code_unit *unit = NULL, *old;
    tc_error *failure = calloc(1, sizeof *failure);
    if (failure == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    tc_status status = fn->registry->loading->finish(take_job(fn), &unit, &old, failure);
    TCI_INVARIANT(fn_unit, old == NULL);
    return end_load(fn, status, unit, failure, err);
}

static tc_status finish_and_announce(tc_ifunc *fn, tc_error *err)
{
    tc_status status = finish_load(fn, err);
    tci_ifunc_load_announce(fn, false);
    return status;
}

/* --- loading ----------------------------------------------------------------------------- */

static tc_error *failure_without_engine(const tc_ifunc *fn, tc_error *failure)
{
    char wanted[TC_ERROR_TEXT_MAX];
    (void)snprintf(wanted, sizeof wanted, "%s: running functions",
                   tci_archive_name(fn->archive));
    (void)tci_module_absent(wanted, "engine", failure);
    return failure;
}

static tc_status load_at_once(tc_ifunc *fn, bool wait, tc_error *err)
{
    tci_engine_handle *engine = fn->registry->engine;
    const tci_load_source source = source_of(fn);
    tci_code_unit *unit = NULL;
    tci_load_job *job = NULL;
    tc_error *failure = calloc(1, sizeof *failure);
    if (failure == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    if (fn->registry->loading == NULL)
        return set_failed(fn, failure_without_engine(fn, failure), err);
    fn->changes = library_changes(fn);
    tc_status status =
        wait ? fn->registry->loading->load(engine, &source, &unit, failure)
             : fn->registry->loading->begin(engine, &source, &unit, &job, failure);
    if (status != TC_E_AGAIN)
        return end_load(fn, status, unit, failure, err);
    free(failure);
    add_job(fn, job);
    fn->state = TCI_LOADING;
    return TC_E_AGAIN;
}

static bool is_shortage(const tc_ifunc *fn)
{
    return fn->state == TCI_LOAD_FAILED && fn->load_error->status == TC_E_NO_MEMORY;
}

static void forget_failure(tc_ifunc *fn)
{
    TCI_INVARIANT(fn_failure, fn->load_error != NULL);
    free(fn->load_error);
    fn->load_error = NULL;
    fn->state = TCI_NOT_LOADED;
}

void tci_ifunc_load_forget_shortage(tc_ifunc *fn)
{
    if (is_shortage(fn))
        forget_failure(fn);
}

void tci_ifunc_load_forgive(tc_ifunc *fn, bool other_rules)
{
    if (fn->state == TCI_LOAD_FAILED && (other_rules || fn->load_error->status == TC_E_REFUSED))
        forget_failure(fn);
}

static tc_status load(tc_ifunc *fn, bool wait, tc_error *err)
{
    switch (fn->state) {
    case TCI_LOADED:
        return TC_OK;
    case TCI_LOAD_FAILED:
        TCI_INVARIANT(fn_failure, fn->load_error != NULL);
        if (fn->failure_told && is_shortage(fn)) {
            tci_ifunc_load_forget_shortage(fn);
            return load_at_once(fn, wait, err);
        }
        fn->failure_told = true;
        if (err != NULL)
            *err = *fn->load_error;
        return fn->load_error->status;
    case TCI_LOADING:
        TCI_INVARIANT(fn_job, fn->job != NULL);
        return wait || fn->registry->loading->is_done(fn->job) ? finish_and_announce(fn, err)
                                                               : TC_E_AGAIN;
    case TCI_NOT_LOADED:
        break;
    }
    return load_at_once(fn, wait, err);
}

/* Loads again while a load was bound to a library that has left meanwhile. */
tc_status tci_ifunc_load(tc_ifunc *fn, tc_error *err)
{
    tc_status status;
    while ((status = load(fn, true, err)) == TC_E_AGAIN)
        continue;
    return status;
}

tc_status tci_ifunc_load_max_size(tc_ifunc *fn, const void *source_args, size_t size,
                                  size_t *max_out, tc_error *err)
{
    if (fn->entries & TCI_ENTRY_ORIGINAL)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "%s: its payload_init is of the original's API, which alone can "
                             "send it",
                             tci_archive_name(fn->archive));
    TC_TRY(tci_ifunc_load(fn, err));
    *max_out = fn->entry.max_size((void *)(uintptr_t)source_args, size);
    if (*max_out > PTRDIFF_MAX)
        return tci_error_set(err, TC_E_PAYLOAD, "%s: its payload_get_max_size failed",
                             tci_archive_name(fn->archive));
    return TC_OK;
}

tc_status tci_ifunc_load_soon(tc_ifunc *fn, tc_error *err)
{
    if (fn->state == TCI_NOT_LOADED && fn->seen_ns == 0) {
        fn->seen_ns = tci_clock_ns();
        fn->report_due = true;
    }
    return load(fn, false, err);
}

/* --- tier-up ----------------------------------------------------------------------------- */

void tci_ifunc_load_tier_up(tc_ifunc *fn)
{
    tci_load_job *job;
    tci_load_source source = source_of(fn);
    source.work_ns = NULL; /* no caller asked for it */
    fn->calls_seen = 0;
    fn->calls_left = NEVER;
    if (fn->state != TCI_LOADED || fn->unit == NULL || fn->job != NULL ||
        !fn->registry->loading->may_tier_up(fn->unit))
        return;
    if (fn->registry->loading->begin_tier_up(fn->registry->engine, &source, fn->unit, &job,
                                             NULL) == TC_OK)
        add_job(fn, job);
}

/* Takes the better code. If the tier-up failed, the function keeps its present code. */
static tci_load_end finish_tier_up(tc_ifunc *fn)
{
    tci_registry *registry = fn->registry;
    tci_code_unit *unit, *old;
    tc_error error = {0};
    size_t before = fn->registry->loading->memory(fn->unit);
    if (fn->registry->loading->finish(take_job(fn), &unit, &old, &error) != TC_OK) {
        TC_LOG(TC_LOG_WARN, "no better code: %s", error.text);
        return TCI_TIER_UP_FAILED;
    }
    fn->entry = *fn->registry->loading->entries(unit);
    registry->code_memory += registry->loading->memory(unit) - before;
    count_stateless(fn);
    put_away(fn, old);
    return TCI_TIER_UP_ENDED;
}

/* --- unloading --------------------------------------------------------------------------- */

void tci_ifunc_load_undo(tc_ifunc *fn)
{
    cancel_job(fn);
    TCI_INVARIANT(fn_unit, fn->unit == NULL || fn->state == TCI_LOADED);
    if (fn->unit != NULL) {
        TCI_INVARIANT_IS(fn_memory, fn->registry->code_memory, >=,
                         tci_registry_unit_bytes(fn) + fn->code_bytes);
        fn->registry->code_memory -= fn->registry->loading->memory(fn->unit) + fn->code_bytes;
        tci_use_order_remove(&fn->registry->code, &fn->code_link);
        put_away(fn, fn->unit);
    }
    fn->unit = NULL;
    count_stateless(fn);
    fn->seen_ns = 0;
    if (fn->state == TCI_LOADED || fn->state == TCI_LOADING) {
        fn->entry = (tci_entries){0};
        fn->state = TCI_NOT_LOADED;
    }
}

void tci_ifunc_load_refuse(tc_ifunc *fn, const tc_error *error)
{
    tc_error *failure = malloc(sizeof *failure);
    tci_ifunc_load_undo(fn);
    if (failure == NULL)
        return; /* it is loaded again, and refused again */
    *failure = *error;
    (void)set_failed(fn, failure, NULL);
}

/* --- binding again ------------------------------------------------------------------------ */

void tci_ifunc_load_rebind(tc_ifunc *fn)
{
    const tci_load_source source = source_of(fn);
    tc_error error;
    if (fn->state != TCI_LOADED || fn->unit == NULL || fn->held != NULL)
        return; /* it is checked when its load ends, or when no message of it waits any more */
    const bool tiers_up = fn->job != NULL; /* for the old libraries: begun again */
    cancel_job(fn);
    tc_status status = fn->registry->loading->rebind(&source, fn->unit, &error);
    if (status == TC_OK && tiers_up)
        count_from_now(fn);
    if (status == TC_OK)
        return;
    if (status == TC_E_AGAIN)
        tci_ifunc_load_undo(fn);
    else
        tci_ifunc_load_refuse(fn, &error);
    tci_ifunc_load_announce(fn, false);
}

tci_load_end tci_ifunc_load_take_finished(tc_ifunc *fn)
{
    if (!fn->registry->loading->is_done(fn->job))
        return TCI_LOAD_UNDER_WAY;
    if (fn->state != TCI_LOADING)
        return finish_tier_up(fn);
    (void)finish_load(fn, NULL); /* users of the function are notified by the caller */
    return TCI_LOAD_ENDED;
}
