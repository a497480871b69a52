/* A context: makes the core, with every module's part of it, and takes it apart. */
#include "context/context_object.h"

#include "base/logger.h"
#include "bootstrap/host_id.h"
#include "bootstrap/run_protocol.h"
#include "context/arrivals.h"
#include "context/closing.h"
#include "context/describe.h"
#include "context/events.h"
#include "context/guests.h"
#include "context/modules.h"
#include "context/node_data.h"
#include "context/wait.h"
#include "context/waker.h"
#include "core/calls_ops.h"
#include "core/limits.h"
#include "core/module.h"
#include "core/network_ops.h"
#include "core/tasks_ops.h"
#include "ifunc/libraries_ops.h"
#include "ifunc/trust_ops.h"
#include "transfer/started.h"

#include <sodium.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

static void describe_self(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    tci_hello *self = &core->self;
    unsigned major, minor, patch;
    tci_modules_ucx_version(&major, &minor, &patch);
    self->library = (tci_hello_version){TC_VERSION_MAJOR, TC_VERSION_MINOR, TC_VERSION_PATCH};
    self->ucx = (tci_hello_version){(uint8_t)major, (uint8_t)minor, (uint8_t)patch};
    self->isa = tci_hello_own_isa();
    self->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    self->code_bytes_max = (uint32_t)core->options.code_bytes_max;
    self->pid = (uint64_t)getpid();
    tci_host_id(self->host_id);
    randombytes_buf(&self->context_id, sizeof self->context_id);
    self->triple = (tci_hello_view){tci_triple_host(), strlen(tci_triple_host())};
    tci_describe_engine(core);
    tci_describe_dictionaries(core);
}

/* Leaves the context to the parent. A child that used it would act on the parent's peers, and
 * on UCX, which asserts. */
static void leave_to_parent(tci_fork_guard *guard)
{
    tc_context *ctx = (tc_context *)(void *)((char *)guard - offsetof(tc_context, guard));
    tci_pending_add(&ctx->core.pending, TCI_FORKED);
    ctx->guests.forked = true;
    ctx->core.user = 0; /* no other thread is there any more */
}

/* `auto` checks where a program is being tried out: with a debug build of the library, or under
 * tc-run. */
static bool checks_threads(const struct tc_options *options)
{
    if (options->check_threads != TCI_CHECK_AUTO)
        return options->check_threads == TCI_CHECK_YES;
#ifndef NDEBUG
    return true;
#else
    return secure_getenv(TCI_RUN_ENV_SOCKET) != NULL;
#endif
}

static tc_status init_context(tc_context *ctx, const struct tc_ucx_objects *ucx, tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_arrivals_init(ctx);
    if (sodium_init() < 0)
        return tci_error_set(err, TC_E_UNSUPPORTED, "libsodium could not be started");
    TC_TRY(tci_modules_attach(core, err));
    core->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (core->epoll_fd < 0)
        return tci_error_set(err, TC_E_IO, "epoll could not be started");
    TC_TRY(tci_credentials_load(&core->options, &core->credentials, err));
    TC_TRY(tci_registry_init(&core->registry, &core->options, err));
    TC_TRY(tci_events_connect(ctx, err));
    TC_TRY(tci_wait_init(ctx, err));
    TC_TRY(tci_waker_init(ctx, err));
    if (checks_threads(&core->options)) {
        core->checks_users = true;
        tci_pending_add(&core->pending, TCI_CHECKED);
    }
    describe_self(ctx);
    if (core->network != NULL && (core->own_address = malloc(TCI_HELLO_MESSAGE_MAX)) == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "context: out of memory");
    const tci_am_receiver receiver = {tci_arrivals_take, tci_arrivals_take_payload, ctx};
    return tci_network_start(core, ucx, ctx->wait_fd, &receiver, err);
}

tc_status tci_context_create(const tc_options *opts, const struct tc_ucx_objects *ucx,
                             tc_context **ctx_out, tc_error *err)
{
    tc_context *ctx = calloc(1, sizeof *ctx);
    tc_options *from_environment = NULL;
    tc_status status = TC_OK;
    if (ctx == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "context: out of memory");
    ctx->core.context = ctx;
    ctx->core.epoll_fd = -1;
    ctx->loads_fd = -1;
    ctx->wake_fd = -1;
    ctx->wait_fd = -1;
    if (opts == NULL)
        status = tc_options_create(&from_environment, err);
    if (status == TC_OK) {
        status = tci_option_table_copy(&ctx->core.options,
                                       opts != NULL ? opts : from_environment, err);
        if (status == TC_OK)
            status = init_context(ctx, ucx, err);
    }
    tc_options_destroy(from_environment);
    if (status != TC_OK) {
        tc_context_destroy(ctx);
        return status;
    }
    tci_fork_guard_add(&ctx->guard, leave_to_parent);
    *ctx_out = ctx;
    return TC_OK;
}

tc_status tc_context_create_for(unsigned header_version, const tc_options *opts,
                                tc_context **ctx_out, tc_error *err)
{
    TC_TRY(tci_describe_check_headers(header_version, err));
    return tci_context_create(opts, NULL, ctx_out, err);
}

/* Begins the end of the context: no peer can connect any more, and the program gets no event.
 * Returns why that is impossible, or NULL. */
static const char *begin_end(tc_context *ctx)
{
    tci_guests_end_serving(ctx);
    /* The calling code would return into freed memory. */
    if (tci_core_is_busy(&ctx->core))
        return tci_core_is_forked(&ctx->core) ? "in a fork" : "from inside an ifunc";
    tci_fork_guard_remove(&ctx->guard);
    ctx->events_ended = ctx->callback != NULL;
    ctx->callback = NULL;
    while (ctx->listeners != NULL)
        tc_listener_close(ctx->listeners);
    return NULL;
}

/* Frees the context, whose endpoints are closed. */
static void complete_end(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    tci_started_report(core);
    if (core->calls != NULL)
        core->calls->ops->end_all(core);
    tci_node_data_free(ctx);
    if (core->injector != NULL)
        core->registry.loading->injector_destroy(core->injector);
    if (core->registry.libraries != NULL)
        core->registry.libraries->end(&core->registry);
    tci_landing_free(&core->copied);
    tci_landing_free(&core->guarded);
    tci_registry_fini(&core->registry);
    if (ctx->wait_fd >= 0)
        close(ctx->wait_fd);
    tci_network_stop(core);
    tci_arrivals_free(ctx);
    tci_credentials_fini(&core->credentials);
    tci_modules_detach(core);
    free(core->own_address);
    free(core->by_connection);
    free(core->watched);
    free(core->send_error);
    if (core->epoll_fd >= 0)
        close(core->epoll_fd);
    if (ctx->loads_fd >= 0)
        close(ctx->loads_fd);
    tci_waker_fini(ctx);
    tci_option_table_free_texts(&core->options);
    free(ctx);
}

void tc_context_destroy(tc_context *ctx)
{
    const char *why = ctx != NULL ? begin_end(ctx) : NULL;
    if (why != NULL)
        TC_LOG(TC_LOG_ERROR, "tc_context_destroy was called %s; ignored", why);
    if (ctx == NULL || why != NULL)
        return;
    if (ctx->core.tasks != NULL)
        ctx->core.tasks->ops->finish_all(&ctx->core);
    if (ctx->core.first != NULL)
        tci_closing_all(ctx, NULL, NULL);
    complete_end(ctx);
}

tc_status tc_context_finish(tc_context *ctx, uint64_t timeout_ns, uint64_t *lost_out,
                            tc_error *err)
{
    uint64_t lost = 0;
    tc_status status = TC_OK;
    const char *why = ctx != NULL ? begin_end(ctx) : NULL;
    if (why != NULL)
        return tci_error_set(err, TC_E_BUSY, "tc_context_finish was called %s", why);
    if (ctx != NULL) {
        status = tci_closing_finish_all(ctx, timeout_ns, &lost, err);
        complete_end(ctx);
    }
    if (lost_out != NULL)
        *lost_out = lost;
    return status;
}

tc_status tc_context_reopen_audit(tc_context *ctx, tc_error *err)
{
    return ctx->core.limits != NULL ? ctx->core.limits->reopen_audit(&ctx->core, err) : TC_OK;
}

tc_status tc_context_start_compiler(tc_context *ctx, tc_error *err)
{
    const tci_registry *registry = &ctx->core.registry;
    return registry->loading != NULL
               ? registry->loading->start_compilers(registry->engine, err)
               : tci_module_absent("tc_context_start_compiler", "engine", err);
}

void tc_context_set_target_args(tc_context *ctx, void *target_args)
{
    ctx->core.target_args = target_args;
}

tc_status tc_context_reload_trust(tc_context *ctx, tc_error *err)
{
    if (tci_core_is_busy(&ctx->core))
        return tci_error_set(err, TC_E_BUSY, "trust: called from inside an ifunc");
    const struct tci_trust_head *trust = ctx->core.registry.trust;
    if (trust == NULL)
        return tci_module_absent("tc_context_reload_trust", "trust", err);
    return trust->ops->reload(&ctx->core.registry, err);
}

void tc_context_set_ep_callback(tc_context *ctx, tc_ep_callback callback, void *user)
{
    ctx->callback = callback;
    ctx->callback_user = user;
}

void tc_context_set_load_callback(tc_context *ctx,
                                  void (*callback)(void *user, const tc_load_report *report),
                                  void *user)
{
    ctx->core.load_callback = callback;
    ctx->core.load_user = user;
}

void tc_context_set_long_call_callback(tc_context *ctx, tc_long_call_callback callback,
                                       void *user)
{
    if (ctx->core.limits != NULL)
        ctx->core.limits->set_callback(&ctx->core, callback, user);
}
