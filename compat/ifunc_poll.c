/* Polls a slot: finds one message, judges it, removes it from the slot, and runs it.
 *
 * Everything is copied before it is judged, and the slot is free before the function begins: a
 * function that forwards itself may come back to this very slot before it has returned here. */
#include "compat_log.h"
#include "known_code.h"
#include "slot_wait.h"
#include "slot_word.h"

#include <tc/compat/ucp/api/ucp.h>

#include <stdlib.h>
#include <string.h>

#define ANSWER_TURNS 8

/* A message in its slot, with a judged header. */
typedef struct arrival {
    tci_ifunc_header header;
    bool is_checked;
    tci_ifunc_end end; /* CHECKED only */
    uint8_t *slot;
    uint64_t word;
    void *target_args;
    ucp_worker_h worker;
} arrival;

static ucs_status_t give_up(const arrival *a, uint64_t word, ucs_status_t status)
{
    tci_slot_give_up(a->slot, a->word, word);
    return status;
}

static ucs_status_t wait_for_rest(const arrival *a)
{
    return tci_slot_wait_for_rest(a->slot, a->word, a->worker);
}

/* --- code ------------------------------------------------------------------------------- */

/* Returns the original's status for any reason; the log has the reason. */
static ucs_status_t refuse_code(const arrival *a)
{
    return give_up(a, tci_ifunc_word_refused(), UCS_ERR_CANCELED);
}

/* The section is a copy, so that a writer of the slot cannot change it after it was judged. */
static ucs_status_t load_code(const arrival *a, const uint8_t *section,
                              const tci_known_code **code_out)
{
    const tci_ifunc_header *header = &a->header;
    if (a->is_checked && tci_ifunc_code_check(section, header->code_size) != a->end.code_check)
        return wait_for_rest(a);
    ucs_status_t status =
        tci_known_code_add(header->kind, header->id, section, header->code_size, code_out);
    return status == UCS_OK ? UCS_OK : refuse_code(a);
}

static ucs_status_t find_code(const arrival *a, const tci_known_code **code_out)
{
    const tci_ifunc_header *header = &a->header;
    *code_out = tci_known_code_find(header->id);
    if (__builtin_expect(*code_out != NULL, 1))
        return UCS_OK;
    const bool none = tci_ifunc_id_is_none(header->id);
    if (none || header->code_size == 0) {
        (void)tci_compat_refuse(
            UCS_ERR_CANCELED, "%s",
            none ? "a message of no function: the sender could not register it "
                   "or make its payload, and its log says why"
                 : "a message without code, for a function that is not here");
        return refuse_code(a);
    }
    uint8_t *section = malloc(header->code_size);
    if (section == NULL)
        return give_up(
            a, tci_ifunc_word_refused(),
            tci_compat_refuse(UCS_ERR_NO_MEMORY, "code of %u bytes", header->code_size));
    memcpy(section, a->slot + tci_ifunc_code_offset(header->payload_size), header->code_size);
    ucs_status_t status = load_code(a, section, code_out);
    free(section);
    return status;
}

/* --- running ---------------------------------------------------------------------------- */

/* Returns the number of bytes that are judged: of a CHECKED message all bytes up to its
 * code. */
static size_t copied_bytes(const arrival *a)
{
    uint32_t size = a->header.payload_size;
    return a->is_checked ? tci_ifunc_code_offset(size) - TCI_IFUNC_HEADER_BYTES : size;
}

static inline ucs_status_t run_with(const arrival *a, const tci_known_code *code,
                                    uint8_t *payload)
{
    memcpy(payload, a->slot + TCI_IFUNC_HEADER_BYTES, copied_bytes(a));
    if (a->is_checked) {
        if (!tci_ifunc_payload_is_whole(payload, &a->end, &a->header))
            return wait_for_rest(a);
        tci_slot_wait_end(a->slot);
    }
    tci_slot_free(a->slot, tci_ifunc_word_known(code->id));
    code->entries.main(payload, a->header.payload_size, a->target_args);
    return UCS_OK;
}

static ucs_status_t run_small(const arrival *a, const tci_known_code *code)
{
    _Alignas(TCI_STACK_PAYLOAD_ALIGNMENT) uint8_t payload[TCI_STACK_PAYLOAD_MAX];
    return run_with(a, code, payload);
}

static ucs_status_t run_large(const arrival *a, const tci_known_code *code)
{
    const size_t alignment = code->payload_alignment;
    uint8_t *payload = aligned_alloc(alignment, (copied_bytes(a) / alignment + 1) * alignment);
    if (payload == NULL)
        return give_up(
            a, 0, tci_compat_refuse(UCS_ERR_NO_MEMORY, "%u bytes", a->header.payload_size));
    ucs_status_t status = run_with(a, code, payload);
    free(payload);
    return status;
}

static ucs_status_t run(const arrival *a)
{
    const tci_known_code *code;
    ucs_status_t status = find_code(a, &code);
    if (status != UCS_OK)
        return status;
    return a->header.payload_size < code->stack_limit ? run_small(a, code) : run_large(a, code);
}

/* The sender's flush ends when UCX has answered the put, for which this worker may have to
 * progress. Programs block in a socket as soon as their message has run, and the sender in its
 * flush. */
static void answer_put(ucp_worker_h worker)
{
    for (int i = 0; worker != NULL && i < ANSWER_TURNS; i++)
        (void)ucp_worker_progress(worker);
}

/* Bytes that come in order bring the end last, so nothing is copied before the end is there.
 * Another order is detected by the checks, which are made of copies. */
static ucs_status_t run_checked(arrival *a)
{
    a->is_checked = true;
    a->end = tci_ifunc_frame_end(a->slot, &a->header);
    if (a->end.sequence != a->header.sequence)
        return wait_for_rest(a);
    const ucs_status_t status = run(a);
    if (status != UCS_ERR_NO_MESSAGE)
        answer_put(a->worker);
    return status;
}

/* --- polling ---------------------------------------------------------------------------- */

static ucs_status_t take(arrival *a, size_t room)
{
    uint8_t bytes[TCI_IFUNC_HEADER_BYTES];
    memcpy(bytes, &a->word, sizeof a->word);
    memcpy(bytes + sizeof a->word, a->slot + sizeof a->word, sizeof bytes - sizeof a->word);
    switch (tci_ifunc_frame_judge(bytes, room, &a->header)) {
    case TCI_SLOT_SEALED:
        return run(a);
    case TCI_SLOT_CHECKED:
        return run_checked(a);
    case TCI_SLOT_PARTIAL:
        return wait_for_rest(a);
    case TCI_SLOT_TOO_LONG:
        return give_up(a, 0,
                       tci_compat_refuse(UCS_ERR_MESSAGE_TRUNCATED,
                                         "a message longer than its slot of %zu bytes", room));
    case TCI_SLOT_EMPTY:
        return UCS_ERR_NO_MESSAGE;
    case TCI_SLOT_DAMAGED:
    default:
        return give_up(a, 0,
                       tci_compat_refuse(UCS_ERR_IO_ERROR, "a message with a damaged header"));
    }
}

ucs_status_t ucp_poll_ifunc(ucp_context_h context, void *buffer, size_t buffer_size,
                            void *target_args, ucp_worker_h worker)
{
    (void)context; /* code belongs to the process */
    if (buffer == NULL || (uintptr_t)buffer % sizeof(uint64_t) != 0 ||
        buffer_size < TCI_IFUNC_FRAME_MIN)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                 "a slot of %zu bytes, expected at least %u, 8-byte aligned",
                                 buffer_size, TCI_IFUNC_FRAME_MIN);
    uint64_t word = tci_slot_load(buffer);
    if (!tci_ifunc_word_is_message(word)) {
        if (worker != NULL && ucp_worker_progress(worker) != 0)
            word = tci_slot_load(buffer);
        if (tci_ifunc_word_is_free(word))
            return UCS_ERR_NO_MESSAGE;
        if (!tci_ifunc_word_is_message(word))
            return tci_slot_wait_for_message(buffer, word);
    }
    arrival a = {.slot = buffer, .word = word, .target_args = target_args, .worker = worker};
    return take(&a, buffer_size);
}
