/* Messages that are built once and sent to many. */
#include "transfer/send.h"

#include "base/error_text.h"

#include <stdlib.h>
#include <tc/advanced.h>

struct tc_message {
    tc_ifunc *fn; /* held */
    size_t payload_size;
    uint8_t *payload;
};

tc_status tc_message_create(tc_ifunc *fn, const void *source_args, size_t size,
                            tc_message **message_out, tc_error *err)
{
    tci_outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    TC_TRY(tci_outgoing_measure(&out, err));
    tc_message *message = calloc(1, sizeof *message);
    uint8_t *payload;
    tc_status status =
        message != NULL ? tci_outgoing_copy(NULL, &out, &payload) : TC_E_NO_MEMORY;
    if (status != TC_OK)
        free(message);
    if (status == TC_E_NO_MEMORY)
        return tci_error_set(err, status, "message of %zu bytes: out of memory",
                             out.payload_size);
    if (status != TC_OK)
        return tci_error_set(err, status, "%s: its payload_init returned another value than 0",
                             tci_archive_name(fn->archive));
    tci_registry_retain(fn);
    *message = (tc_message){fn, out.payload_size, payload};
    *message_out = message;
    return TC_OK;
}

void *tc_message_payload(tc_message *message, size_t *size_out)
{
    *size_out = message->payload_size;
    return message->payload;
}

tc_status tc_message_send(tc_ep *ep, const tc_message *message)
{
    tci_outgoing out = {.fn = message->fn,
                        .args = message->payload,
                        .args_size = message->payload_size,
                        .built = true};
    return tci_send_message(ep, &out);
}

void tc_message_destroy(tc_message *message)
{
    if (message == NULL)
        return;
    tci_registry_release(message->fn);
    free(message->payload);
    free(message);
}
