/* A message at its source: the frame, and before it what only this process needs. */
#ifndef TCI_IFUNC_MESSAGE_H
#define TCI_IFUNC_MESSAGE_H

#include "known_code.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <tc/compat/ucp/api/ucp.h>

typedef struct tci_ifunc_message {
    struct tci_ifunc_message *next; /* of those that are not freed */
    void *allocation;               /* what holds it */
    const tci_known_code *code;
    _Atomic uint32_t holders; /* whoever made it, and every put that UCX has not done with */
    uint64_t known_word;      /* that the target leaves when it has the code */
    uint32_t payload_size;
    bool is_framed;                         /* code and check are in the frame */
    bool is_exposed;                        /* the program has its payload's address */
    uint8_t bare[TCI_IFUNC_HEADER_BYTES];   /* the header of a SEALED frame without code */
    uint8_t loaded[TCI_IFUNC_HEADER_BYTES]; /* and with it */
    _Alignas(64) uint8_t frame[]; /* the payload is in place; CHECKED once it was put */
} tci_ifunc_message;

static inline tci_ifunc_message *tci_ifunc_message_of(const ucp_ifunc_msg_t *msg)
{
    return (tci_ifunc_message *)(void *)((uint8_t *)msg->frame -
                                         offsetof(tci_ifunc_message, frame));
}

/* A message of no function, for the target of one that could not be made; NULL: no memory. It belongs
 * to the caller, who releases it. */
tci_ifunc_message *tci_ifunc_message_of_none(void);

void tci_ifunc_message_hold(tci_ifunc_message *message);
/* The last one frees it. */
void tci_ifunc_message_release(tci_ifunc_message *message);

/* Makes the frame ready to be put: CHECKED, with the payload that there is now, and with a
 * sequence of its own unless an earlier put of it may still be read. */
void tci_ifunc_message_frame(tci_ifunc_message *message);

#endif
