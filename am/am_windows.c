#include "am_windows.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>

static tc_status open_memory(tc_am_window *window, const tc_am_window_params *params,
                             tc_error *err)
{
    tc_window_params open = {.memory = params->memory,
                             .bytes = params->bytes,
                             .rights = TC_WINDOW_READ | TC_WINDOW_WRITE,
                             .group = window->ams->group,
                             .shared = params->shared};
    if (params->bytes == 0)
        return TC_OK;
    if (params->shared != 0 || (uintptr_t)params->memory % 8 == 0)
        open.rights |= TC_WINDOW_ATOMIC;
    TC_TRY(tc_window_open(window->ams->context, &open, &window->pointer, err));
    window->memory = tc_window_memory(window->ams->context, window->pointer);
    window->bytes = params->bytes;
    window->is_shared = params->shared != 0;
    assert(window->memory != NULL);
    return TC_OK;
}

tc_status tca_window_make(tc_ams *ams, const tc_am_window_params *params,
                          tc_am_window **window_out, tc_error *err)
{
    uint32_t number = 0;
    while (number < TCA_WINDOWS_MAX && ams->windows[number] != NULL)
        number++;
    if (number == TCA_WINDOWS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%u windows are open", TCA_WINDOWS_MAX);
    tc_am_window *window = calloc(1, sizeof *window);
    tca_remote *remotes = calloc(ams->ranks, sizeof *remotes);
    tc_status status = TC_OK;
    if (window == NULL || remotes == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "a window of %u ranks", ams->ranks);
    if (status == TC_OK) {
        window->ams = ams;
        window->number = (uint16_t)number;
        window->unordered = params->unordered;
        window->is_concurrent = params->concurrent != 0;
        window->remotes = remotes;
        status = open_memory(window, params, err);
    }
    if (status != TC_OK) {
        free(remotes);
        free(window);
        return status;
    }
    ams->windows[number] = window;
    *window_out = window;
    return TC_OK;
}

void tca_window_free(tc_am_window *window)
{
    tc_ams *ams = window->ams;
    assert(window->under_way == 0 && ams->windows[window->number] == window);
    for (uint32_t rank = 0; rank < ams->ranks; rank++) {
        if (window->remotes[rank].view != NULL)
            tc_window_unmap(ams->context, window->remotes[rank].view);
    }
    if (window->bytes > 0)
        tc_window_close(ams->context, window->pointer);
    tca_tally_free(&window->tally);
    if (window->stage != NULL)
        tca_stage_free(window->stage, ams->context);
    free(window->stage);
    ams->windows[window->number] = NULL;
    free(window->remotes);
    free(window);
}

tc_status tca_window_check_rank(const tc_am_window *window, uint32_t rank, tc_error *err)
{
    return rank < window->ams->ranks
               ? TC_OK
               : tci_error_set(err, TC_E_NOT_FOUND, "rank %u of a group of %u", rank,
                               window->ams->ranks);
}

tca_window_facts tca_window_describe(const tc_am_window *window)
{
    return (tca_window_facts){.pointer = window->pointer,
                              .bytes = window->bytes,
                              .is_shared = window->is_shared ? 1 : 0};
}

static tc_status ask(const tc_am_window *window, uint32_t rank, uint64_t timeout_ns,
                     tca_window_facts *facts_out, tc_error *err)
{
    const tca_header question = {
        .version = TCA_HEADER_VERSION, .kind = TCA_DESCRIBE, .window = window->number};
    size_t size = sizeof *facts_out;
    tc_ep *ep;
    TC_TRY(tc_group_ep(window->ams->group, rank, &ep, err));
    TC_TRY(tc_call(ep, window->ams->runtime, &question, sizeof question, facts_out, &size,
                   timeout_ns, err));
    if (size != sizeof *facts_out || facts_out->is_shared > 1 || facts_out->unused != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "rank %u described its window in %zu bytes, expected %zu", rank,
                             size, sizeof *facts_out);
    return TC_OK;
}

tc_status tca_window_learn(tc_am_window *window, uint32_t rank, uint64_t timeout_ns,
                           tc_error *err)
{
    tca_window_facts facts;
    tca_remote *remote = &window->remotes[rank];
    if (remote->is_known)
        return TC_OK;
    if (rank == window->ams->rank)
        facts = tca_window_describe(window);
    else
        TC_TRY(ask(window, rank, timeout_ns, &facts, err));
    remote->pointer = facts.pointer;
    remote->bytes = facts.bytes;
    remote->is_shared = facts.is_shared != 0;
    remote->is_known = true;
    return TC_OK;
}

/* A rank that cannot be asked or mapped now, because this is inside a function, is tried again;
 * every other failure means that it computes itself, and reports the reason. */
static void map(tc_am_window *window, uint32_t rank)
{
    tca_remote *remote = &window->remotes[rank];
    tc_error err = {0};
    tc_ep *ep;
    tc_status status = tca_window_learn(window, rank, 0, &err);
    if (status == TC_OK && (!remote->is_shared || remote->bytes == 0))
        status = TC_E_UNSUPPORTED;
    if (status == TC_OK)
        status = tc_group_ep(window->ams->group, rank, &ep, &err);
    if (status == TC_OK)
        status = tc_window_map(ep, remote->pointer, 0, &remote->view, &err);
    if (status == TC_OK && remote->view->bytes < remote->bytes) {
        tc_window_unmap(window->ams->context, remote->view);
        remote->view = NULL;
        status = TC_E_CORRUPT;
    }
    if (status != TC_OK && status != TC_E_BUSY && status != TC_E_AGAIN)
        remote->is_unmappable = true;
}

void *tca_window_reach(tc_am_window *window, uint32_t rank, uint64_t *bytes_out)
{
    tca_remote *remote = &window->remotes[rank];
    if (rank == window->ams->rank) {
        *bytes_out = window->bytes;
        return window->memory;
    }
    if (remote->view == NULL && !remote->is_unmappable && tc_self_endpoint() == NULL)
        map(window, rank);
    if (remote->view == NULL)
        return NULL;
    *bytes_out = remote->bytes;
    return remote->view->memory;
}

tc_status tc_am_window_attach(tc_am_window *window, void *memory, uint64_t bytes, tc_error *err)
{
    if (window->stage == NULL)
        window->stage = calloc(1, sizeof *window->stage);
    if (window->stage == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "the table of attached memory");
    return tca_stage_attach(window->stage, window->ams->context, window->ams->group, memory,
                            bytes, err);
}

tc_status tc_am_window_detach(tc_am_window *window, void *memory)
{
    return window->stage == NULL
               ? TC_E_NOT_FOUND
               : tca_stage_detach(window->stage, window->ams->context, memory);
}
