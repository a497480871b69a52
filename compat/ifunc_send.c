/* Sends messages: stores into the slot where UCX can map it, otherwise by one put. */
#include "compat_log.h"
#include "ifunc_handles.h"
#include "ifunc_message.h"
#include "remote_code.h"
#include "slot_word.h"

#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

/* The slot's line is fetched for writing at once, though it is read first: its word decides
 * whether the code is sent along. */
static ucs_status_t store_message(const tci_ifunc_message *message, uint8_t *slot, size_t size,
                                  ucp_rkey_h rkey)
{
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + size, 1); /* in a ring the next slot, which is read first too */
    const uint64_t found = tci_slot_load(slot);
    if (tci_ifunc_word_is_message(found))
        return UCS_ERR_NO_RESOURCE;
    const bool bare =
        found == message->known_word || tci_remote_code_is_there(rkey, message->code);
    const uint8_t *header = bare ? message->bare : message->loaded;
    uint64_t word;
    memcpy(&word, header, sizeof word);
    memcpy(slot + WORD_BYTES, header + WORD_BYTES, TCI_IFUNC_HEADER_BYTES - WORD_BYTES);
    memcpy(slot + TCI_IFUNC_HEADER_BYTES, message->frame + TCI_IFUNC_HEADER_BYTES,
           message->payload_size);
    if (!bare) {
        uint64_t at = tci_ifunc_code_offset(message->payload_size);
        memcpy(slot + at, message->code->section, message->code->section_size);
    }
    tci_slot_publish(slot, word);
    if (!bare)
        tci_remote_code_sent(rkey, message->code, slot, word);
    return UCS_OK;
}

static void on_put(void *request, ucs_status_t status, void *user)
{
    (void)status; /* reported by the endpoint's flush */
    tci_ifunc_message_release(user);
    ucp_request_free(request);
}

/* Sends one put, so that the endpoint's flush confirms the whole message. The order in which
 * its bytes arrive does not matter (ifunc_frame.h). */
static ucs_status_t put_message(ucp_ep_h ep, tci_ifunc_message *message, size_t size,
                                uint64_t remote_addr, ucp_rkey_h rkey)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.send = on_put},
        .user_data = message,
    };
    tci_ifunc_message_frame(message);
    tci_ifunc_message_hold(message); /* it may be freed before UCX has sent it */
    void *request = ucp_put_nbx(ep, message->frame, size, remote_addr, rkey, &param);
    if (UCS_PTR_IS_PTR(request))
        return UCS_INPROGRESS;
    tci_ifunc_message_release(message);
    if (UCS_PTR_IS_ERR(request))
        return tci_compat_refuse(UCS_PTR_STATUS(request), "a put of %zu bytes", size);
    return UCS_OK;
}

static ucs_status_t deliver(ucp_ep_h ep, tci_ifunc_message *message, size_t size,
                            uint64_t remote_addr, ucp_rkey_h rkey)
{
    void *mapped;
    if (ucp_rkey_ptr(rkey, remote_addr, &mapped) == UCS_OK)
        return store_message(message, mapped, size, rkey);
    return put_message(ep, message, size, remote_addr, rkey);
}

/* Sends a message of no function, which the target reports as an error. Programs that do not
 * check whether a function was registered send all the same, and their target would poll for
 * ever. */
static void send_none(ucp_ep_h ep, uint64_t remote_addr, ucp_rkey_h rkey)
{
    if (ep == NULL || rkey == NULL || remote_addr % WORD_BYTES != 0)
        return;
    tci_ifunc_message *message = tci_ifunc_message_of_none();
    if (message == NULL)
        return;
    (void)deliver(ep, message, tci_ifunc_frame_bytes(0, TCI_CODE_PARTS_BYTES), remote_addr,
                  rkey);
    tci_ifunc_message_release(message);
}

ucs_status_t ucp_ifunc_send_nbix(ucp_ep_h ep, ucp_ifunc_msg_t msg, uint64_t remote_addr,
                                 ucp_rkey_h rkey)
{
    if (msg.frame == NULL)
        send_none(ep, remote_addr, rkey);
    if (tci_ifunc_handle_code(msg.ifunc_h) == NULL)
        return tci_compat_refuse(UCS_ERR_NO_ELEM,
                                 "a message is sent whose function is not registered");
    if (ep == NULL || rkey == NULL || msg.frame == NULL || remote_addr % WORD_BYTES != 0)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                 "a message is sent without endpoint, key, frame, or to an "
                                 "address that is not 8-byte aligned");
    return deliver(ep, tci_ifunc_message_of(&msg), msg.frame_size, remote_addr, rkey);
}
