/* Replies to this context itself wait until no function runs. */
#ifndef TCI_LOCAL_REPLY_H
#define TCI_LOCAL_REPLY_H

#include "core/core.h"
#include "wire/route.h"

typedef struct tci_local_replies {
    struct tci_local_reply *first;
    struct tci_local_reply **last;
    size_t count;
} tci_local_replies;

void tci_local_replies_init(tci_local_replies *replies);

/* Keeps a copy of a reply to a message that travels in `group` (NULL: outside groups). The
 * group counts a failure that no call waits for. TC_E_AGAIN: as many replies wait as calls can.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_local_reply_keep(tci_core *core, tc_group *group,
                                             const tci_reply *reply, const uint32_t *path,
                                             const void *data, size_t size);

/* Delivers all waiting replies to their calls. */
void tci_local_replies_take(tci_core *core);

/* Frees all waiting replies when the context ends, or only those of `group`, if not NULL, when
 * that ends. */
void tci_local_replies_forget(tci_local_replies *replies, const tc_group *group);

#endif
