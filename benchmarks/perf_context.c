#include "perf_context.h"

#include "perf_options.h"
#include "perf_value.h"

#include <stdio.h>
#include <string.h>

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

bool perf_context_complain(perf_session *session, const char *what, const tc_error *err)
{
    return perf_session_complain(session, "%s: %s: %s", what, tc_status_name(err->status),
                                 err->text);
}

bool perf_context_listen(perf_session *session, tc_context *context, tc_listener **listener_out)
{
    tc_error err = {0};
    return tc_listener_open(context, "127.0.0.1:0", listener_out, &err) == TC_OK ||
           perf_context_complain(session, "listener", &err);
}

bool perf_context_connect(perf_session *session, tc_context *context, unsigned port,
                          tc_ep **ep_out)
{
    char host_port[32];
    tc_error err = {0};
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", port);
    return tc_ep_connect(context, host_port, PERF_SILENCE_NS, ep_out, &err) == TC_OK ||
           perf_context_complain(session, "connect", &err);
}

void perf_context_delivery(const tc_ep *ep, char delivery_out[16], tc_ep_info *info_out)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    (void)snprintf(delivery_out, 16, "%s", info.delivery);
    if (info_out != NULL)
        *info_out = info;
}

/* The setting of this process's contexts, which is not changed elsewhere. */
size_t perf_context_staged_max(void)
{
    tc_options *options;
    char text[32];
    uint64_t bytes = 0;
    if (tc_options_create(&options, NULL) != TC_OK)
        return 0;
    bool ok = tc_options_get(options, "staging_bytes", text, sizeof text) == TC_OK &&
              perf_value_count(text, 0, UINT32_MAX, &bytes);
    tc_options_destroy(options);
    return ok ? (size_t)bytes / 2 : 0;
}

size_t perf_context_read_archive(const char *folders, const char *name, void *bytes,
                                 size_t capacity)
{
    char path[PERF_PATH_MAX + 64];
    const char *at = folders;
    FILE *file = NULL;
    while (file == NULL && *at != '\0') {
        size_t n = strcspn(at, ":");
        (void)snprintf(path, sizeof path, "%.*s/%s.tca", (int)n, at, name);
        file = fopen(path, "rb");
        at += n + (at[n] == ':');
    }
    size_t size = file != NULL ? fread(bytes, 1, capacity, file) : 0;
    if (file != NULL)
        (void)fclose(file);
    return size;
}

tc_status perf_context_open_new(tc_context *context, const void *archive, size_t size,
                                unsigned number, tc_ifunc **fn_out, tc_error *err)
{
    char deps[32];
    int n = snprintf(deps, sizeof deps, "# %u\n", number);
    return tc_ifunc_open_code(
        context,
        &(tc_code){.bytes = archive, .size = size, .deps = deps, .deps_size = (size_t)n},
        fn_out, err);
}
