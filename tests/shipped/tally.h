/* Types shared by the tally ifunc and its senders: several sources, each with a count of its
 * own. */
#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>

#define TALLY_SOURCES 4

/* A payload; bytes of content follow. */
typedef struct tally_message {
    uint64_t source;
    uint64_t n;
} tally_message;

/* target_args. */
typedef struct tally_state {
    uint64_t next[TALLY_SOURCES]; /* number of the message that comes next */
    uint64_t wrong; /* messages that were not the next of their source, or not whole */
    void (*note)(void *endpoint); /* called with tc_self_endpoint(), when set */
} tally_state;

#endif
