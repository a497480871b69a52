/* Polling: finds one message, judges it, takes it out of its slot, and runs it.
 *
 * Everything is copied before it is judged, and the slot is free before the function begins: a
 * function that forwards itself may come back to this very slot before it has returned here. */
#include "compat_log.h"
#include "known_code.h"
#include "slot_word.h"

#include <tc/compat/ucp/api/ucp.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL_BYTES 4096u /* payloads that are copied to the stack */
#define PATIENCE_S 5

/* --- what is not all there ------------------------------------------------------------ */

/* The slot of this thread's last look that held a part of a message. */
static _Thread_local struct {
    const void *slot;
    uint64_t word;
    time_t since_s;
} partial;

/* A part that stays a part is damage; but it is not taken away, in case the rest comes. */
static ucs_status_t wait_for_rest(const void *slot, uint64_t word, ucp_worker_h worker)
{
    struct timespec now;
    if (worker != NULL)
        (void)ucp_worker_progress(worker);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (partial.slot != slot || partial.word != word) {
        partial.slot = slot;
        partial.word = word;
        partial.since_s = now.tv_sec;
    }
    if (now.tv_sec - partial.since_s < PATIENCE_S)
        return UCS_ERR_NO_MESSAGE;
    partial.since_s = now.tv_sec;
    return tci_compat_refuse(UCS_ERR_TIMED_OUT, "a part of a message, for %d s", PATIENCE_S);
}

static ucs_status_t give_up(void *slot, ucs_status_t status)
{
    tci_slot_free(slot, 0);
    return status;
}

/* --- running -------------------------------------------------------------------------- */

/* `payload` is in the slot, or a copy already. */
static ucs_status_t run(const tci_known_code *code, void *slot, void *payload, size_t size,
                        void *target_args)
{
    tci_slot_free(slot, tci_ifunc_word_known(code->id));
    code->entries.main(payload, size, target_args);
    return UCS_OK;
}

static ucs_status_t find_code(const tci_ifunc_header *header, const uint8_t *section,
                              const tci_known_code **code_out)
{
    *code_out = tci_known_code_find(header->id);
    if (*code_out != NULL)
        return UCS_OK;
    if (header->code_size == 0)
        return tci_compat_refuse(UCS_ERR_NO_ELEM,
                                 "a message without code, for a function that is not here");
    return tci_known_code_add(header->kind, header->id, section, header->code_size, code_out);
}

/* A copy, so that who writes the slot meanwhile changes nothing that was judged. */
static ucs_status_t find_code_in_slot(const tci_ifunc_header *header, const uint8_t *slot,
                                      const tci_known_code **code_out)
{
    *code_out = tci_known_code_find(header->id);
    if (__builtin_expect(*code_out != NULL, 1))
        return UCS_OK;
    uint8_t *section = malloc((size_t)header->code_size + 1);
    if (section == NULL)
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "code of %u bytes", header->code_size);
    memcpy(section, slot + tci_ifunc_code_offset(header->payload_size), header->code_size);
    ucs_status_t status = find_code(header, section, code_out);
    free(section);
    return status;
}

static ucs_status_t run_small(const tci_known_code *code, uint8_t *slot, size_t size,
                              void *target_args)
{
    _Alignas(64) uint8_t payload[SMALL_BYTES];
    memcpy(payload, slot + TCI_IFUNC_HEADER_BYTES, size);
    return run(code, slot, payload, size, target_args);
}

static ucs_status_t run_large(const tci_known_code *code, uint8_t *slot, size_t size,
                              void *target_args)
{
    uint8_t *payload = malloc(size);
    if (payload == NULL)
        return give_up(slot, tci_compat_refuse(UCS_ERR_NO_MEMORY, "%zu bytes", size));
    memcpy(payload, slot + TCI_IFUNC_HEADER_BYTES, size);
    ucs_status_t status = run(code, slot, payload, size, target_args);
    free(payload);
    return status;
}

static ucs_status_t run_sealed(const tci_ifunc_header *header, uint8_t *slot, void *target_args)
{
    const tci_known_code *code;
    ucs_status_t status = find_code_in_slot(header, slot, &code);
    if (status != UCS_OK)
        return give_up(slot, status);
    if (header->payload_size <= SMALL_BYTES)
        return run_small(code, slot, header->payload_size, target_args);
    return run_large(code, slot, header->payload_size, target_args);
}

static ucs_status_t run_copy(const tci_ifunc_header *header, uint8_t *copy, uint8_t *slot,
                             void *target_args)
{
    const tci_known_code *code;
    ucs_status_t status =
        find_code(header, copy + tci_ifunc_code_offset(header->payload_size), &code);
    if (status != UCS_OK)
        return give_up(slot, status);
    return run(code, slot, copy + TCI_IFUNC_HEADER_BYTES, header->payload_size, target_args);
}

static ucs_status_t run_checked(const tci_ifunc_header *header, uint8_t *slot, uint64_t word,
                                void *target_args, ucp_worker_h worker)
{
    uint64_t size = tci_ifunc_frame_bytes(header->payload_size, header->code_size);
    uint8_t *copy = aligned_alloc(64, size);
    if (copy == NULL)
        return give_up(
            slot, tci_compat_refuse(UCS_ERR_NO_MEMORY, "%llu bytes", (unsigned long long)size));
    memcpy(copy, slot, size);
    ucs_status_t status = tci_ifunc_frame_is_whole(copy, header)
                              ? run_copy(header, copy, slot, target_args)
                              : wait_for_rest(slot, word, worker);
    free(copy);
    return status;
}

/* --- looking -------------------------------------------------------------------------- */

static ucs_status_t take(uint8_t *slot, size_t room, uint64_t word, void *target_args,
                         ucp_worker_h worker)
{
    uint8_t bytes[TCI_IFUNC_HEADER_BYTES];
    tci_ifunc_header header;
    memcpy(bytes, &word, sizeof word);
    memcpy(bytes + sizeof word, slot + sizeof word, sizeof bytes - sizeof word);
    switch (tci_ifunc_frame_judge(bytes, room, &header)) {
    case TCI_SLOT_SEALED:
        return run_sealed(&header, slot, target_args);
    case TCI_SLOT_CHECKED:
        return run_checked(&header, slot, word, target_args, worker);
    case TCI_SLOT_PARTIAL:
        return wait_for_rest(slot, word, worker);
    case TCI_SLOT_TOO_LONG:
        return give_up(slot,
                       tci_compat_refuse(UCS_ERR_MESSAGE_TRUNCATED,
                                         "a message longer than its slot of %zu bytes", room));
    case TCI_SLOT_EMPTY:
        return UCS_ERR_NO_MESSAGE;
    case TCI_SLOT_GARBAGE:
    default:
        return give_up(slot, tci_compat_refuse(UCS_ERR_IO_ERROR,
                                               "no message, but %016llx at the begin of a slot",
                                               (unsigned long long)word));
    }
}

ucs_status_t ucp_poll_ifunc(ucp_context_h context, void *buffer, size_t buffer_size,
                            void *target_args, ucp_worker_h worker)
{
    (void)context; /* code is the process's */
    if (buffer == NULL || (uintptr_t)buffer % sizeof(uint64_t) != 0 ||
        buffer_size < TCI_IFUNC_FRAME_MIN)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                 "a slot of %zu bytes, expected at least %u, 8-byte aligned",
                                 buffer_size, TCI_IFUNC_FRAME_MIN);
    uint64_t word = tci_slot_load(buffer);
    if (tci_ifunc_word_is_free(word)) {
        if (worker == NULL || ucp_worker_progress(worker) == 0)
            return UCS_ERR_NO_MESSAGE;
        word = tci_slot_load(buffer);
    }
    return take(buffer, buffer_size, word, target_args, worker);
}
