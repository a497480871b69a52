/* The commands and the answers of the function `travel`. */
#ifndef TRAVEL_H
#define TRAVEL_H

#include <stdint.h>

typedef enum travel_task {
    TRAVEL_NOTHING,
    TRAVEL_ECHO,    /* answers with the payload behind the order */
    TRAVEL_FAIL,    /* answers with a status and a text */
    TRAVEL_ROUND,   /* goes to the next rank `count` times, then reports its rank */
    TRAVEL_TO,      /* goes to `rank`, then reports its rank */
    TRAVEL_BIG,     /* answers with `count` bytes */
    TRAVEL_TICKET,  /* lets the next rank answer */
    TRAVEL_REDEEM,  /* that answer */
    TRAVEL_KEEP,    /* never answers */
    TRAVEL_COUNT,   /* answers how often it did that here */
    TRAVEL_DATA,    /* answers with the data published as "travel" */
    TRAVEL_BOTH,    /* answers, and goes on without the call */
    TRAVEL_STRANGER /* answers without a call */
} travel_task;

typedef struct travel_order {
    uint32_t task;
    uint32_t rank;
    uint64_t count;
    uint64_t call; /* of a ticket */
    uint32_t origin;
    uint32_t hops;
} travel_order;

typedef struct travel_place {
    uint32_t rank;
    uint32_t size;
    uint32_t origin;
    uint32_t hops;
} travel_place;

#define TRAVEL_BYTE(i) ((uint8_t)((i)*7u + ((i) >> 8)))

#endif
