/* A message at its source: the frame, and before it the data that only this process needs. */
#ifndef TCI_IFUNC_MESSAGE_H
#define TCI_IFUNC_MESSAGE_H

#include "known_code.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <tc/compat/ucp/api/ucp.h>

typedef struct tci_ifunc_message {
    struct tci_ifunc_message *next; /* of the messages that are not freed */
    void *allocation;               /* the memory block that contains it */
    const tci_known_code *code;
    _Atomic uint32_t holders; /* its creator, and every put that UCX has not completed */
    uint64_t known_word;      /* word that the target leaves when it has the code */
    uint32_t payload_size;
    bool is_framed;                         /* code and check are in the frame */
    bool is_exposed;                        /* the program has its payload's address */
    uint8_t bare[TCI_IFUNC_HEADER_BYTES];   /* the header of a SEALED frame without code */
    uint8_t loaded[TCI_IFUNC_HEADER_BYTES]; /* the same with code */
    _Alignas(64) uint8_t frame[];           /* has the payload; CHECKED after a put */
} tci_ifunc_message;

static inline tci_ifunc_message *tci_ifunc_message_of(const ucp_ifunc_msg_t *msg)
{
    return (tci_ifunc_message *)(void *)((uint8_t *)msg->frame -
                                         offsetof(tci_ifunc_message, frame));
}

/* Returns a message of no function, for the target of a message that could not be made; NULL
 * without memory. It belongs to the caller, who releases it. */
tci_ifunc_message *tci_ifunc_message_of_none(void);

void tci_ifunc_message_hold(tci_ifunc_message *message);
/* Releases one holder; the last one frees the message. */
void tci_ifunc_message_release(tci_ifunc_message *message);

/* Prepares the frame for a put: CHECKED, with the present payload, and with a new sequence
 * unless an earlier put of the same payload may still be reading it. */
void tci_ifunc_message_frame(tci_ifunc_message *message);

#endif
