#include "ifunc_link.h"

#include "perf_context.h"
#include "perf_session.h"

#include <stdio.h>
#include <string.h>
#include <tc/advanced.h>

/* An endpoint that the target accepted is freed by the library once this has returned from
 * CLOSED or FAILED. */
static void endpoint_changed(void *user, tc_ep *ep, tc_ep_event event)
{
    ifunc_link *link = user;
    tc_error err = {0};
    if (event == TC_EP_OPENED) {
        link->peer = ep;
        return;
    }
    if (event == TC_EP_FAILED) {
        (void)tc_ep_error(ep, &err);
        (void)snprintf(link->failure, sizeof link->failure, "%s", err.text);
    }
    if (link->session->role == PERF_TARGET && link->peer == ep)
        link->peer = NULL;
}

static bool create_context(ifunc_link *link, const ifunc_link_config *config)
{
    char ring[24];
    (void)snprintf(ring, sizeof ring, "%llu", (unsigned long long)config->ring_bytes);
    const perf_setting settings[] = {{"ifunc_path", config->path},
                                     {"delivery", config->delivery},
                                     {"tier", config->tier},
                                     {"cache_dir", config->cache_dir},
                                     {"form", config->form},
                                     {"code_push", config->local != NULL ? "no" : NULL},
                                     {"ring_bytes", config->ring_bytes > 0 ? ring : NULL}};
    tc_error err = {0};
    if (perf_context_create(settings, sizeof settings / sizeof settings[0], &link->context,
                            &err) != TC_OK)
        return perf_context_complain(link->session, "context", &err);
    tc_context_set_target_args(link->context, config->target_args);
    tc_context_set_ep_callback(link->context, endpoint_changed, link);
    if (tc_ifunc_open(link->context, config->name, &link->function, &err) != TC_OK)
        return perf_context_complain(link->session, config->name, &err);
    if (config->local != NULL &&
        tc_ifunc_use_local(link->function, config->local, NULL) != TC_OK)
        return perf_session_complain(link->session, "%s: cannot be made local", config->name);
    return true;
}

/* Sends the source the port and progresses until it has come. */
static bool accept_source(ifunc_link *link)
{
    if (!perf_context_listen(link->session, link->context, &link->listener))
        return false;
    uint16_t port = tc_listener_port(link->listener);
    if (!perf_session_send(link->session, &port, sizeof port))
        return false;
    perf_poll poll = {.session = link->session};
    while (link->peer == NULL) {
        if (tc_progress(link->context) == 0 && !perf_poll_missed(&poll))
            return ifunc_link_lost(link);
    }
    return true;
}

static bool connect_target(ifunc_link *link)
{
    uint16_t port;
    size_t size;
    return perf_session_recv(link->session, &port, sizeof port, &size) &&
           perf_context_connect(link->session, link->context, port, &link->peer);
}

static void free_link(ifunc_link *link)
{
    if (link->listener != NULL)
        tc_listener_close(link->listener);
    if (link->function != NULL)
        tc_ifunc_close(link->function);
    tc_context_destroy(link->context);
    *link = (ifunc_link){.session = link->session};
}

bool ifunc_link_open(ifunc_link *link, perf_session *session, const ifunc_link_config *config)
{
    *link = (ifunc_link){.session = session};
    if (create_context(link, config) &&
        (session->role == PERF_TARGET ? accept_source(link) : connect_target(link)))
        return true;
    free_link(link);
    return false;
}

/* The source closes; the target progresses until it has seen that, or the close would wait for
 * it in vain. */
void ifunc_link_close(ifunc_link *link)
{
    perf_poll poll = {.session = link->session};
    if (link->session->role == PERF_SOURCE) {
        tc_ep_close(link->peer);
        link->peer = NULL;
    }
    while (link->peer != NULL) {
        if (tc_progress(link->context) == 0 && !perf_poll_missed(&poll))
            break;
    }
    free_link(link);
}

void ifunc_link_close_mode(perf_series *series)
{
    ifunc_link_close(series->state);
}

bool ifunc_link_lost(ifunc_link *link)
{
    tc_error err = {0};
    if (link->failure[0] != '\0')
        return perf_session_complain(link->session, "the peer was lost: %s", link->failure);
    if (link->peer != NULL && tc_ep_refusal(link->peer, &err) != 0)
        return perf_context_complain(link->session, "the peer refused the function", &err);
    return perf_session_complain(link->session, "waited in vain");
}

bool ifunc_link_send_failed(ifunc_link *link, tc_status status)
{
    tc_error err = {.status = status};
    (void)snprintf(err.text, sizeof err.text, "%s", tc_status_text(status));
    if (status == TC_E_REFUSED && link->peer != NULL)
        (void)tc_ep_refusal(link->peer, &err);
    return perf_context_complain(link->session, "send", &err);
}

bool ifunc_link_send(ifunc_link *link, perf_poll *poll, const void *payload, size_t size)
{
    tc_status status;
    while ((status = tc_send(link->peer, link->function, payload, size)) == TC_E_AGAIN) {
        if (tc_progress(link->context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(link);
    }
    perf_poll_hit(poll);
    return status == TC_OK || ifunc_link_send_failed(link, status);
}

bool ifunc_link_flush(ifunc_link *link)
{
    tc_error err = {0};
    tc_status status = tc_ep_flush(link->peer, PERF_SILENCE_NS, NULL);
    if (status != TC_OK)
        return perf_session_complain(link->session, "flush: %s", tc_status_text(status));
    if (tc_ep_refusal(link->peer, &err) != 0)
        return perf_context_complain(link->session, "the peer refused the function", &err);
    return true;
}

bool ifunc_link_serve(ifunc_link *link)
{
    perf_poll poll = {.session = link->session};
    while (!perf_session_has_ended(link->session)) {
        if (tc_progress(link->context) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(link);
    }
    return true;
}
