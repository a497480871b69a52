#include "test_context.h"
#include "test.h"

void must(tc_status status, const tc_error *error, const char *what)
{
    if (status != TC_OK)
        fail_msg("%s: %s: %s", what, tc_status_name(status), error != NULL ? error->text : "");
}

tc_context *test_context(const char *const *options)
{
    tc_options *opts;
    tc_context *ctx;
    tc_error error = {0};
    must(tc_options_create(&opts, &error), &error, "options");
    for (size_t i = 0; options != NULL && options[i] != NULL; i += 2)
        must(tc_options_set(opts, options[i], options[i + 1], &error), &error, options[i]);
    must(tc_context_create(opts, &ctx, &error), &error, "context");
    tc_options_destroy(opts);
    return ctx;
}

uint64_t test_counter(const tc_context *ctx, const char *name)
{
    for (size_t i = 0; i < tc_stats_count(); i++) {
        if (strcmp(tc_stats_name(i), name) == 0)
            return tc_stats_value(ctx, i);
    }
    fail_msg("no counter %s", name);
    return 0;
}
