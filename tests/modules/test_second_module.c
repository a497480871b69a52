/* Each module of the build finds its table taken by another module: it refuses, says which one
 * it is, and leaves the other's table alone. */
#include "../support/test.h"

#include "context/context_object.h"
#include "context/guests.h"
#include "core/calls_ops.h"
#include "core/limits.h"
#include "core/module.h"
#include "core/network_ops.h"
#include "core/tasks_ops.h"
#include "core/usage_ops.h"
#include "engine/loading.h"
#include "ifunc/holes_ops.h"
#include "ifunc/libraries_ops.h"
#include "ifunc/trust_ops.h"
#include "modules/windows/windows.h"

#include <tc/options.h>

#include TCI_MODULES_FILE

#define DECLARED(name) extern const tci_module tci_##name##_module;
#define LISTED(name) &tci_##name##_module,

TCI_MODULES_BUILT(DECLARED)
static const tci_module *const built[] = {TCI_MODULES_BUILT(LISTED) NULL};

/* The tables of the other modules. */
static const tci_loading_ops loading;
static const tci_libraries_ops libraries;
static const tci_holes_ops holes;
static const tci_guests_ops guests;
static const tci_trust_ops trust_ops;
static const tci_calls_ops calls_ops;
static struct tci_trust_head trust = {.ops = &trust_ops};
static struct tci_calls_head calls = {.ops = &calls_ops};
static tci_limits limits;
static const tci_network_ops network;
static tci_windows windows;
static const tci_tasks_ops tasks_ops;
static struct tci_tasks_head tasks = {.ops = &tasks_ops};
static const tci_usage_ops usage;

static void take_all(tc_context *ctx)
{
    ctx->guests.ops = &guests;
    ctx->core.limits = &limits;
    ctx->core.calls = &calls;
    ctx->core.network = &network;
    ctx->core.windows = &windows;
    ctx->core.tasks = &tasks;
    ctx->core.usage = &usage;
    ctx->core.registry.loading = &loading;
    ctx->core.registry.libraries = &libraries;
    ctx->core.registry.holes = &holes;
    ctx->core.registry.trust = &trust;
}

static void assert_all_stay(const tc_context *ctx)
{
    assert_ptr_equal(ctx->guests.ops, &guests);
    assert_ptr_equal(ctx->core.registry.holes, &holes);
    assert_ptr_equal(ctx->core.limits, &limits);
    assert_ptr_equal(ctx->core.calls, &calls);
    assert_ptr_equal(ctx->core.network, &network);
    assert_ptr_equal(ctx->core.windows, &windows);
    assert_ptr_equal(ctx->core.tasks, &tasks);
    assert_ptr_equal(ctx->core.usage, &usage);
    assert_ptr_equal(ctx->core.registry.loading, &loading);
    assert_ptr_equal(ctx->core.registry.libraries, &libraries);
    assert_ptr_equal(ctx->core.registry.trust, &trust);
}

static tc_context *context_with_options(void)
{
    tc_context *ctx = calloc(1, sizeof *ctx);
    tc_options *options;
    tc_error error;
    assert_non_null(ctx);
    assert_int_equal(tc_options_create(&options, &error), TC_OK);
    /* The modules limits and usage attach where an option needs them. */
    assert_int_equal(tc_options_set(options, "quota_connections", "1", &error), TC_OK);
    assert_int_equal(tc_options_set(options, "usage", "counts", &error), TC_OK);
    ctx->core.options = *options;
    ctx->core.context = ctx;
    tc_options_destroy(options);
    return ctx;
}

static void a_taken_table_is_refused(void **state)
{
    tc_context *ctx = context_with_options();
    tci_core *core = &ctx->core;
    take_all(ctx);
    for (size_t i = 0; built[i] != NULL; i++) {
        const tci_module *module = built[i];
        tc_error error = {0};
        char text[128];
        tc_status status = TC_OK;
        if (module->attach_registry != NULL)
            status = module->attach_registry(&core->registry, &core->options, &error);
        if (status == TC_OK && module->attach != NULL)
            status = module->attach(core, &error);
        if (status != TC_E_INVALID)
            fail_msg("module %s: %s", module->name, tc_status_text(status));
        (void)snprintf(text, sizeof text, "module %s: another module has taken", module->name);
        if (strstr(error.text, text) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", error.text, text);
        if (module->detach != NULL)
            module->detach(core);
        if (module->detach_registry != NULL)
            module->detach_registry(&core->registry);
        assert_all_stay(ctx);
    }
    free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_taken_table_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
