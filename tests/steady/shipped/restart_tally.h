/* The messages of the function restart_tally, and the file that it counts its runs in. */
#ifndef RESTART_TALLY_H
#define RESTART_TALLY_H

#include <stdint.h>

#define TALLY_FILE "TALLY_FILE" /* environment: its path; TALLY_MAX counters of 32 bits */
#define TALLY_MAX (1u << 22)

typedef struct tally_message {
    uint32_t number; /* of the counter */
    uint32_t nap_us; /* after counting, before the answer */
} tally_message;

#endif
