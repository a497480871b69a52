/* tc/code.h: the name of the function that runs for a peer. A signal handler may ask for it. */
#include "context/context_object.h"

#include "base/signal_text.h"
#include "core/current.h"

#include <tc/code.h>

static void add_peer(tci_signal_text *out, const tc_ep *ep)
{
    tci_signal_text_add(out, " from ");
    if (ep->stream != NULL) {
        tci_signal_text_add(out, tci_stream_peer(ep->stream));
    } else {
        tci_signal_text_add(out, "connection ");
        tci_signal_text_add_number(out, ep->connection, 10);
    }
    if (ep->peer.pid != 0) {
        tci_signal_text_add(out, ", process ");
        tci_signal_text_add_number(out, ep->peer.pid, 10);
    }
}

size_t tc_code_running(char *text, size_t size)
{
    tci_signal_text out = {.at = text, .capacity = size};
    const tci_current *current = tci_current_get();
    if (current->ep == NULL)
        return tci_signal_text_end(&out);
    if (current->fn != NULL) {
        tci_signal_text_add(&out, "function '");
        tci_signal_text_add(&out, tci_archive_name(current->fn->archive));
        tci_signal_text_add(&out, "' ");
        tci_signal_text_add_id(&out, &current->fn->id);
    } else {
        tci_signal_text_add(&out, "injected code");
    }
    add_peer(&out, current->ep);
    return tci_signal_text_end(&out);
}
