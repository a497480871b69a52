/* This process's description of itself: versions, engine, counters. */
#include "context/describe.h"

#include "archive_dictionary.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/sized_struct.h"
#include "context/context_object.h"
#include "context/modules.h"

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
    const tci_loading_ops *loading = core->registry.loading;
    if (loading == NULL)
        return;
    self->llvm = parse_version(loading->llvm_version(core->options.engine_path));
    self->cpu = view_of(loading->cpu(core->registry.engine), TCI_HELLO_CPU_MAX);
    self->features = view_of(loading->features(core->registry.engine), TCI_HELLO_FEATURES_MAX);
}

/* In the order of their ids, as a hello has them. */
void tci_describe_dictionaries(tci_core *core)
{
    _Static_assert(TCI_DICTIONARIES_MAX < TCI_HELLO_DICTIONARIES_MAX, "each can be named");
    tci_hello *self = &core->self;
    size_t count = 0;
    if (core->options.dictionaries != 0) {
        for (; count < tci_dictionary_count(); count++)
            self->dictionaries[count] = tci_dictionary_at(count)->id;
        self->dictionaries[count++] = TCI_HELLO_BRIEF;
    }
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

typedef struct engine_info {
    const char *llvm;
    char cpu[64];
    char *features; /* for the rest of the process; NULL: "" */
} engine_info;

/* Starts the engine for a moment. */
static void ask_engine(tci_registry *registry, const struct tc_options *options,
                       engine_info *info_out)
{
    tci_engine_handle *engine;
    (void)!tci_modules_attach_registry(registry, options, NULL); /* bad keys do not matter */
    if (registry->loading == NULL ||
        registry->loading->acquire(options, &engine, NULL) != TC_OK)
        return;
    const tci_loading_ops *loading = registry->loading;
    if (loading->start(engine, NULL) == TC_OK)
        info_out->llvm = loading->llvm_version(options->engine_path);
    (void)snprintf(info_out->cpu, sizeof info_out->cpu, "%s", loading->cpu(engine));
    info_out->features = strdup(loading->features(engine));
    loading->release(engine);
}

void tc_version_query_sized(tc_version_info *info_out, size_t info_size)
{
    static char ucx[16];
    static engine_info engine;
    unsigned major, minor, patch;
    if (engine.llvm == NULL) {
        tc_options *opts = NULL;
        tci_registry *registry = calloc(1, sizeof *registry);
        engine = (engine_info){.llvm = "none", .cpu = "unknown"};
        if (registry != NULL && tc_options_create(&opts, NULL) == TC_OK) {
            ask_engine(registry, opts, &engine);
            tci_modules_detach_registry(registry);
        }
        tc_options_destroy(opts);
        free(registry);
    }
    tci_modules_ucx_version(&major, &minor, &patch);
    if (major > 0)
        (void)snprintf(ucx, sizeof ucx, "%u.%u.%u", major, minor, patch);
    else
        (void)snprintf(ucx, sizeof ucx, "none");
    const tc_version_info info = {.library = TC_VERSION_STRING,
                                  .protocol = TC_PROTOCOL_VERSION,
                                  .ucx = ucx,
                                  .llvm = engine.llvm,
                                  .triple = tci_triple_host(),
                                  .cpu = engine.cpu,
                                  .features = engine.features != NULL ? engine.features : ""};
    tci_sized_struct_fill(info_out, info_size, &info, sizeof info);
}
