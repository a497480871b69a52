#include "fake_engine.h"

#include "base/error_text.h"
#include "engine/code_unit_table.h"
#include "test.h"

#define CODES_MAX 64u

struct tci_code_unit {
    fake_code *code;
    tci_entries entries;
};

struct tci_load_job {
    struct tci_load_job *next;
    fake_code *code;
    tci_code_unit *unit; /* that becomes better; NULL: one to be made */
    bool done;
};

struct tci_engine_handle {
    unsigned units;
    unsigned jobs;
};

static fake_code codes[CODES_MAX];
static tci_load_job *jobs;

void (*fake_injected_main)(void *payload, size_t payload_size, void *target_args);
tc_status fake_injected_status;
unsigned fake_injected_ahead;

void fake_nothing(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}

fake_code *fake_code_of(const char *name)
{
    fake_code *code = codes;
    while (code->name[0] != '\0' && strcmp(code->name, name) != 0)
        code++;
    assert_true(code < codes + CODES_MAX - 1);
    if (code->name[0] == '\0') {
        (void)snprintf(code->name, sizeof code->name, "%s", name);
        code->memory = 4096;
    }
    return code;
}

void fake_engine_end_loads(void)
{
    for (tci_load_job *job = jobs; job != NULL; job = job->next)
        job->done = true;
}

void fake_engine_reset(void)
{
    for (fake_code *code = codes; code->name[0] != '\0'; code++)
        assert_int_equal(code->loaded, 0);
    assert_null(jobs);
    memset(codes, 0, sizeof codes);
    fake_injected_status = TC_OK;
    fake_injected_ahead = 0;
}

/* --- the engine -------------------------------------------------------------------------- */

static tc_status acquire(const struct tc_options *options, tci_engine_handle **handle_out,
                         tc_error *err)
{
    (void)options, (void)err;
    *handle_out = calloc(1, sizeof **handle_out);
    assert_non_null(*handle_out);
    return TC_OK;
}

static tc_status scope_open(const struct tc_options *options, tci_symbol_scope *scope,
                            tc_error *err)
{
    (void)options, (void)scope, (void)err;
    return TC_OK;
}

static void scope_close(tci_symbol_scope *scope)
{
    assert_null(scope->policy);
}

static uint64_t library_changes(const tci_library_set *set)
{
    assert_null(set);
    return 0;
}

static void release(tci_engine_handle *handle)
{
    free(handle);
}

static void forget_stored(tci_engine_handle *handle, const tci_content_id *id)
{
    (void)handle;
    (void)id;
}

/* No code of the fake has constructors. */
static tc_status start_unit(tci_code_unit *unit, const char *name, tc_error *err)
{
    (void)unit;
    (void)name;
    (void)err;
    return TC_OK;
}

static tc_status load(tci_engine_handle *handle, const tci_load_source *source,
                      tci_code_unit **unit_out, tc_error *err)
{
    fake_code *code = fake_code_of(tci_archive_name(source->archive));
    (void)handle;
    if (code->fails != TC_OK)
        return tci_error_set(err, code->fails, "%s: does not load", code->name);
    tci_code_unit *unit = malloc(sizeof *unit);
    assert_non_null(unit);
    *unit = (tci_code_unit){.code = code, .entries = code->entries};
    code->loaded++;
    *unit_out = unit;
    return TC_OK;
}

static void unload(tci_engine_handle *handle, tci_code_unit *unit)
{
    if (unit == NULL)
        return;
    (void)handle;
    unit->code->loaded--;
    free(unit);
}

/* --- jobs -------------------------------------------------------------------------------- */

static tc_status begin(const tci_load_source *source, tci_code_unit *unit,
                       tci_load_job **job_out)
{
    tci_load_job *job = malloc(sizeof *job);
    assert_non_null(job);
    *job = (tci_load_job){
        .next = jobs, .code = fake_code_of(tci_archive_name(source->archive)), .unit = unit};
    jobs = *job_out = job;
    return TC_OK;
}

static tc_status begin_load(tci_engine_handle *handle, const tci_load_source *source,
                            tci_code_unit **unit_out, tci_load_job **job_out, tc_error *err)
{
    if (!fake_code_of(tci_archive_name(source->archive))->is_slow)
        return load(handle, source, unit_out, err);
    TC_TRY(begin(source, NULL, job_out));
    return TC_E_AGAIN;
}

static tc_status begin_tier_up(tci_engine_handle *handle, const tci_load_source *source,
                               tci_code_unit *unit, tci_load_job **job_out, tc_error *err)
{
    (void)handle, (void)err;
    return begin(source, unit, job_out);
}

static bool is_done(const tci_load_job *job)
{
    return job->done;
}

static bool is_begun(const tci_load_job *job)
{
    return job->done;
}

static void cancel(tci_load_job *job)
{
    tci_load_job **link = &jobs;
    if (job == NULL)
        return;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    free(job);
}

static tc_status finish(tci_load_job *job, tci_code_unit **unit_out, tci_code_unit **old_out,
                        tc_error *err)
{
    fake_code *code = job->code;
    tci_code_unit *unit = job->unit;
    *old_out = NULL;
    cancel(job);
    if (code->fails != TC_OK)
        return tci_error_set(err, code->fails, "%s: does not load", code->name);
    if (unit == NULL) {
        unit = malloc(sizeof *unit);
        assert_non_null(unit);
        *unit = (tci_code_unit){.code = code, .entries = code->entries};
        code->loaded++;
    } else {
        unit->entries = code->better;
    }
    *unit_out = unit;
    return TC_OK;
}

/* --- units ------------------------------------------------------------------------------- */

static const tci_entries *entries_of(const tci_code_unit *unit)
{
    return &unit->entries;
}

static bool may_tier_up(const tci_code_unit *unit)
{
    return unit->code->may_improve;
}

static bool has_state(const tci_code_unit *unit)
{
    return unit->code->has_state;
}

static size_t memory_of(const tci_code_unit *unit)
{
    return unit->code->memory;
}

const tci_symbols *tci_code_unit_symbols(const tci_code_unit *unit)
{
    (void)unit;
    return NULL;
}

void *const *tci_code_unit_table(const tci_code_unit *unit)
{
    (void)unit;
    return NULL;
}

static tc_status rebind(const tci_load_source *source, tci_code_unit *unit, tc_error *err)
{
    (void)source, (void)unit, (void)err;
    return TC_E_AGAIN;
}

static void report(const tci_code_unit *unit, tc_load_report *report_out)
{
    report_out->path = unit->code->is_image ? TC_LOAD_IMAGE : TC_LOAD_JIT;
    report_out->memory_bytes = unit->code->memory;
}

/* --- injected code ----------------------------------------------------------------------- */

static const char injector_of_all[1];

static tc_status injector_create(tci_engine_handle *handle, const tci_symbol_scope *scope,
                                 tci_injector **injector_out, tc_error *err)
{
    (void)handle, (void)scope, (void)err;
    *injector_out = (tci_injector *)(uintptr_t)injector_of_all;
    return TC_OK;
}

static void injector_destroy(tci_injector *injector)
{
    (void)injector;
}

static void injector_get_ahead(tci_injector *injector)
{
    fake_injected_ahead += injector != NULL;
}

static void injector_expect(tci_injector *injector)
{
    (void)injector;
}

static tc_status injector_place(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                                size_t rest_size, void (**main_out)(void *, size_t, void *),
                                tc_error *err)
{
    (void)injector, (void)bytes, (void)image_size, (void)rest_size;
    if (fake_injected_status != TC_OK)
        return tci_error_set(err, fake_injected_status, "no image that runs here");
    *main_out = fake_injected_main;
    return TC_OK;
}

/* --- the table --------------------------------------------------------------------------- */

static bool is_old(const tci_code_unit *unit)
{
    (void)unit;
    return false;
}

const tci_loading_ops fake_engine_table = {
    .acquire = acquire,
    .release = release,
    .forget_stored = forget_stored,
    .scope_open = scope_open,
    .scope_close = scope_close,
    .library_changes = library_changes,
    .load = load,
    .begin = begin_load,
    .begin_tier_up = begin_tier_up,
    .is_begun = is_begun,
    .is_done = is_done,
    .finish = finish,
    .cancel = cancel,
    .start_unit = start_unit,
    .rebind = rebind,
    .unload = unload,
    .entries = entries_of,
    .may_tier_up = may_tier_up,
    .has_state = has_state,
    .memory = memory_of,
    .is_old = is_old,
    .report = report,
    .injector_create = injector_create,
    .injector_destroy = injector_destroy,
    .injector_get_ahead = injector_get_ahead,
    .injector_expect = injector_expect,
    .injector_place = injector_place,
};

/* --- functions --------------------------------------------------------------------------- */

tc_ifunc *fake_function(tci_registry *registry, const char *name, unsigned entries,
                        size_t bytes)
{
    size_t size;
    tc_ifunc *fn;
    tc_error error = {0};
    void *archive = fake_archive(name, entries, bytes, &size);
    const tci_registry_code code = {.archive = archive, .archive_size = size};
    if (tci_registry_add(registry, &code, &fn, &error) != TC_OK)
        fail_msg("%s", error.text);
    free(archive);
    return fn;
}
