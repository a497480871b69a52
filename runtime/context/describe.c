/* This process's description of itself: versions, engine, counters. */
#include "context/describe.h"

#include "archive_dictionary.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/sized_struct.h"
#include "context/context_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <tc/version.h>

static const char *const counter_names[TCI_COUNTER_COUNT] = {
#define ROW(id, name, meaning) [id] = name,
    TCI_COUNTER_LIST(ROW)
#undef ROW
};

size_t tc_stats_count(void)
{
    return TCI_COUNTER_COUNT;
}

const char *tc_stats_name(size_t index)
{
    return index < TCI_COUNTER_COUNT ? counter_names[index] : NULL;
}

uint64_t tc_stats_value(const tc_context *ctx, size_t index)
{
    if (index >= TCI_COUNTER_COUNT)
        return 0;
    /* Endpoints count their own messages; the context has the counts of freed endpoints. */
    uint64_t value = ctx->core.counters[index];
    for (const tc_ep *ep = ctx->core.first; ep != NULL && index == TCI_MESSAGES_RUN;
         ep = ep->next)
        value += ep->rx.run_messages;
    return value;
}

static tci_hello_version parse_version(const char *text)
{
    unsigned major = 0, minor = 0, patch = 0;
    if (text != NULL)
        (void)sscanf(text, "%u.%u.%u", &major, &minor, &patch);
    return (tci_hello_version){(uint8_t)major, (uint8_t)minor, (uint8_t)patch};
}

static tci_hello_view view_of(const char *text, size_t max)
{
    size_t n = strlen(text);
    return (tci_hello_view){text, n < max ? n : max};
}

void tci_describe_engine(tci_core *core)
{
    tci_hello *self = &core->self;
    self->llvm = parse_version(tci_engine_llvm_version(core->options.engine_path));
    self->cpu = view_of(tci_engine_cpu(core->registry.engine), TCI_HELLO_CPU_MAX);
    self->features =
        view_of(tci_engine_features(core->registry.engine), TCI_HELLO_FEATURES_MAX);
}

/* In the order of their ids, as a hello has them. */
void tci_describe_dictionaries(tci_core *core)
{
    _Static_assert(TCI_DICTIONARIES_MAX == TCI_HELLO_DICTIONARIES_MAX, "each can be named");
    tci_hello *self = &core->self;
    size_t count = core->options.dictionaries != 0 ? tci_dictionary_count() : 0;
    for (size_t i = 0; i < count; i++)
        self->dictionaries[i] = tci_dictionary_at(i)->id;
    self->dictionary_count = (uint8_t)count;
}

tc_status tci_describe_check_headers(unsigned header_version, tc_error *err)
{
    if (header_version <= TC_VERSION_NUMBER)
        return TC_OK;
    return tci_error_set(err, TC_E_VERSION,
                         "this program was compiled with the headers of version %u.%u.%u, and "
                         "the libtchains that was found is of %s: expected %u.%u.%u or newer",
                         header_version >> 16, header_version >> 8 & 255, header_version & 255,
                         TC_VERSION_STRING, header_version >> 16, header_version >> 8 & 255,
                         header_version & 255);
}

void tc_version_query_sized(tc_version_info *info_out, size_t info_size)
{
    static char ucx[16], cpu[64] = "unknown", features[4096];
    static const char *llvm;
    tci_engine_handle *engine;
    tc_options *opts = NULL;
    tci_engine_opts engine_opts = {0};
    unsigned major, minor, patch;
    if (llvm == NULL) {
        if (tc_options_create(&opts, NULL) == TC_OK)
            engine_opts.engine_path = opts->engine_path;
        llvm = "none";
        if (tci_engine_acquire(&engine_opts, &engine, NULL) == TC_OK) {
            if (tci_engine_start(engine, NULL) == TC_OK)
                llvm = tci_engine_llvm_version(engine_opts.engine_path);
            (void)snprintf(cpu, sizeof cpu, "%s", tci_engine_cpu(engine));
            (void)snprintf(features, sizeof features, "%s", tci_engine_features(engine));
            tci_engine_release(engine);
        }
        tc_options_destroy(opts);
    }
    tci_worker_ucx_version(&major, &minor, &patch);
    (void)snprintf(ucx, sizeof ucx, "%u.%u.%u", major, minor, patch);
    const tc_version_info info = {.library = TC_VERSION_STRING,
                                  .protocol = TC_PROTOCOL_VERSION,
                                  .ucx = ucx,
                                  .llvm = llvm,
                                  .triple = tci_triple_host(),
                                  .cpu = cpu,
                                  .features = features};
    tci_sized_struct_fill(info_out, info_size, &info, sizeof info);
}
