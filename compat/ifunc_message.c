/* Makes messages, and frames those that are sent by a put. */
#include "ifunc_message.h"

#include "compat_log.h"
#include "ifunc_handles.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* The messages that this process has made and not freed, so that a frame that a program frees
 * is either one of them or ignored. For any thread. */
#define BUCKETS 1024u

static struct {
    pthread_mutex_t lock;
    tci_ifunc_message *buckets[BUCKETS];
} messages = {.lock = PTHREAD_MUTEX_INITIALIZER};

static tci_ifunc_message **bucket_of(const void *frame)
{
    return &messages.buckets[((uintptr_t)frame >> 6) % BUCKETS];
}

static void add_message(tci_ifunc_message *message)
{
    tci_ifunc_message **bucket = bucket_of(message->frame);
    pthread_mutex_lock(&messages.lock);
    message->next = *bucket;
    *bucket = message;
    pthread_mutex_unlock(&messages.lock);
}

/* Removes the message with that frame from the set and returns it; NULL if there is none. The
 * frame is compared, never read. */
static tci_ifunc_message *take_message(const void *frame)
{
    tci_ifunc_message *found;
    pthread_mutex_lock(&messages.lock);
    tci_ifunc_message **at = bucket_of(frame);
    while (*at != NULL && (const void *)(*at)->frame != frame)
        at = &(*at)->next;
    found = *at;
    if (found != NULL)
        *at = found->next;
    pthread_mutex_unlock(&messages.lock);
    return found;
}

/* Returns a sequence unlike that of any message before, of any process. */
static uint64_t next_sequence(void)
{
    static _Atomic uint64_t sequence;
    uint64_t last = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (last == 0) {
        uint64_t start;
        randombytes_buf(&start, sizeof start);
        (void)atomic_compare_exchange_strong(&sequence, &last, start | 1);
    }
    return (atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed) + 1) &
           ((1ull << 56) - 1);
}

static void write_frame(tci_ifunc_message *message, uint64_t check)
{
    const tci_known_code *code = message->code;
    tci_ifunc_header header = {.payload_size = message->payload_size,
                               .code_size = code->section_size,
                               .check = check,
                               .kind = code->kind,
                               .sequence = next_sequence()};
    memcpy(header.id, code->id, sizeof header.id);
    tci_ifunc_frame_check(&header, code->check, message->frame);
}

static void add_code(tci_ifunc_message *message)
{
    const tci_known_code *code = message->code;
    uint8_t *payload = message->frame + TCI_IFUNC_HEADER_BYTES;
    uint8_t *at = message->frame + tci_ifunc_code_offset(message->payload_size);
    uint8_t *end =
        message->frame + tci_ifunc_frame_bytes(message->payload_size, code->section_size);
    memset(payload + message->payload_size, 0, (size_t)(at - payload) - message->payload_size);
    memcpy(at, code->section, code->section_size);
    memset(at + code->section_size, 0, (size_t)(end - at) - code->section_size);
}

void tci_ifunc_message_frame(tci_ifunc_message *message)
{
    uint64_t before, check;
    memcpy(&before, message->frame + TCI_IFUNC_CHECK_OFFSET, sizeof before);
    check = before;
    if (!message->is_framed)
        add_code(message);
    if (!message->is_framed || message->is_exposed)
        check = tci_ifunc_payload_check(message->frame + TCI_IFUNC_HEADER_BYTES,
                                        message->payload_size, message->code->check);
    const bool is_under_way = atomic_load_explicit(&message->holders, memory_order_acquire) > 1;
    if (!is_under_way || check != before)
        write_frame(message, check);
    message->is_framed = true;
}

void tci_ifunc_message_hold(tci_ifunc_message *message)
{
    atomic_fetch_add_explicit(&message->holders, 1, memory_order_relaxed);
}

void tci_ifunc_message_release(tci_ifunc_message *message)
{
    if (atomic_fetch_sub_explicit(&message->holders, 1, memory_order_acq_rel) == 1)
        free(message->allocation);
}

static void seal_headers(tci_ifunc_message *message)
{
    tci_ifunc_header header = {.payload_size = message->payload_size,
                               .kind = message->code->kind};
    memcpy(header.id, message->code->id, sizeof header.id);
    (void)tci_ifunc_header_seal(&header, message->bare);
    header.code_size = message->code->section_size;
    (void)tci_ifunc_header_seal(&header, message->loaded);
    message->known_word = tci_ifunc_word_known(header.id);
}

/* --- payloads ------------------------------------------------------------------------- */

static ucs_status_t measure(const tc_entry_points *entries, void *args, size_t size,
                            size_t *max_out)
{
    *max_out = entries->payload_max_size != NULL ? entries->payload_max_size(args, size) : size;
    if (*max_out > TCI_IFUNC_PAYLOAD_MAX)
        return tci_compat_refuse(UCS_ERR_EXCEEDS_LIMIT, "a payload of %zu bytes, limit %u",
                                 *max_out, TCI_IFUNC_PAYLOAD_MAX);
    return UCS_OK;
}

static ucs_status_t fill(const tc_entry_points *entries, void *args, size_t size, void *payload,
                         size_t *payload_size)
{
    const size_t max = *payload_size;
    int result = 0;
    if (entries->original_init != NULL)
        result = entries->original_init(args, size, payload, payload_size);
    else if (entries->payload_init != NULL)
        result = entries->payload_init(payload, max, args, size);
    else if (size > 0)
        memcpy(payload, args, size);
    if (result != 0)
        return tci_compat_refuse(UCS_ERR_CANCELED, "payload_init gave %d", result);
    if (*payload_size > max)
        return tci_compat_refuse(UCS_ERR_EXCEEDS_LIMIT,
                                 "payload_init made %zu bytes, payload_bound said %zu",
                                 *payload_size, max);
    return UCS_OK;
}

/* Lets payload_init write to memory aligned as the payload that the function gets; in a frame
 * it is not. */
static ucs_status_t fill_aligned(const tci_known_code *code, void *args, size_t size,
                                 uint8_t *payload, size_t *payload_size)
{
    const size_t alignment = code->payload_alignment;
    if (alignment <= 16 || code->entries.payload_max_size == NULL)
        return fill(&code->entries, args, size, payload, payload_size);
    uint8_t *elsewhere = aligned_alloc(alignment, (*payload_size / alignment + 1) * alignment);
    if (elsewhere == NULL)
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "a payload of %zu bytes", *payload_size);
    ucs_status_t status = fill(&code->entries, args, size, elsewhere, payload_size);
    if (status == UCS_OK)
        memcpy(payload, elsewhere, *payload_size);
    free(elsewhere);
    return status;
}

/* --- the calls ------------------------------------------------------------------------ */

/* Returns a message of zeros, without writing to memory that comes as zeros. */
static tci_ifunc_message *allocate(size_t payload_max, const tci_known_code *code)
{
    size_t bytes = sizeof(tci_ifunc_message) + 63 +
                   tci_ifunc_frame_bytes((uint32_t)payload_max, code->section_size);
    void *allocation = calloc(1, bytes);
    if (allocation == NULL) {
        (void)tci_compat_refuse(UCS_ERR_NO_MEMORY, "a message of %zu bytes", bytes);
        return NULL;
    }
    uintptr_t at = ((uintptr_t)allocation + 63) & ~(uintptr_t)63;
    tci_ifunc_message *message = (tci_ifunc_message *)at;
    message->allocation = allocation;
    message->code = code;
    atomic_init(&message->holders, 1);
    return message;
}

static ucs_status_t create_message(const tci_known_code *code, void *args, size_t size,
                                   tci_ifunc_message **message_out)
{
    size_t payload_size;
    ucs_status_t status = measure(&code->entries, args, size, &payload_size);
    if (status != UCS_OK)
        return status;
    tci_ifunc_message *message = allocate(payload_size, code);
    if (message == NULL)
        return UCS_ERR_NO_MEMORY;
    status =
        fill_aligned(code, args, size, message->frame + TCI_IFUNC_HEADER_BYTES, &payload_size);
    if (status != UCS_OK) {
        free(message->allocation);
        return status;
    }
    message->payload_size = (uint32_t)payload_size;
    seal_headers(message);
    *message_out = message;
    return UCS_OK;
}

static uint8_t no_section[TCI_CODE_PARTS_BYTES];
static tci_known_code no_code = {
    .kind = TCI_CODE_ARCHIVE, .section = no_section, .section_size = sizeof no_section};

static void check_no_code(void)
{
    no_code.check = tci_ifunc_code_check(no_section, sizeof no_section);
}

tci_ifunc_message *tci_ifunc_message_of_none(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, check_no_code);
    tci_ifunc_message *message = allocate(0, &no_code);
    if (message != NULL)
        seal_headers(message);
    return message;
}

ucs_status_t ucp_ifunc_msg_create(ucp_ifunc_h ifunc_h, void *source_args,
                                  size_t source_args_size, ucp_ifunc_msg_t *msg_p)
{
    tci_ifunc_message *message = NULL;
    if (msg_p == NULL)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM, "a message is made nowhere");
    *msg_p = (ucp_ifunc_msg_t){NULL, NULL, 0}; /* programs free failed messages, too */
    const tci_known_code *code = tci_ifunc_handle_code(ifunc_h);
    if (code == NULL)
        return tci_compat_refuse(UCS_ERR_NO_ELEM,
                                 "a message is made for a function that is not registered");
    if (source_args == NULL && source_args_size > 0 && code->entries.payload_max_size == NULL)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM, "a message is made of nothing");
    ucs_status_t status = create_message(code, source_args, source_args_size, &message);
    if (status != UCS_OK)
        return status;
    add_message(message);
    *msg_p = (ucp_ifunc_msg_t){
        .ifunc_h = ifunc_h,
        .frame = message->frame,
        .frame_size = tci_ifunc_frame_bytes(message->payload_size, code->section_size)};
    return UCS_OK;
}

ucs_status_t ucp_ifunc_msg_get_payload_ptr(ucp_ifunc_msg_t *msg_p, void **payload_p,
                                           size_t *payload_size_p)
{
    if (msg_p == NULL || msg_p->frame == NULL || payload_p == NULL)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM, "no message, or nowhere to put it");
    tci_ifunc_message *message = tci_ifunc_message_of(msg_p);
    message->is_exposed = true;
    *payload_p = message->frame + TCI_IFUNC_HEADER_BYTES;
    if (payload_size_p != NULL)
        *payload_size_p = message->payload_size;
    return UCS_OK;
}

ucs_status_t ucp_ifunc_msg_free(ucp_ifunc_msg_t msg)
{
    if (msg.frame == NULL)
        return UCS_OK;
    tci_ifunc_message *message = take_message(msg.frame);
    if (message == NULL)
        return tci_compat_refuse(UCS_ERR_NO_ELEM, "a message is freed that is none");
    tci_ifunc_message_release(message);
    return UCS_OK;
}
