#include "perf_context.h"

tc_status perf_context_create(const perf_setting *settings, size_t count,
                              tc_context **context_out, tc_error *err)
{
    tc_options *options;
    tc_status status = tc_options_create(&options, err);
    if (status != TC_OK)
        return status;
    for (size_t i = 0; status == TC_OK && i < count; i++) {
        if (settings[i].value != NULL)
            status = tc_options_set(options, settings[i].option, settings[i].value, err);
    }
    if (status == TC_OK)
        status = tc_context_create(options, context_out, err);
    tc_options_destroy(options);
    return status;
}
