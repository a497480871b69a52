/* A board lies in the memory of one process; others read it and increment its visit counter, by
 * UCX. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

typedef struct board {
    uint64_t visits;
    char text[56];
} board;

/* All that another process needs to read and write a board. */
typedef struct board_place {
    uint64_t board; /* its address over there */
    uint32_t worker_size;
    uint32_t key_size;
    char worker[3072]; /* a UCX worker's address */
    char key[1024];    /* the packed rkey of the board's memory */
} board_place;

/* A reader's result: the counter before its own increment, and the text. */
typedef board board_visit;

#endif
