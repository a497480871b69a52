/* The payload of the function specialise. */
#ifndef SPECIALISE_H
#define SPECIALISE_H

#include "filter_program.h"

typedef struct specialise_order {
    uint8_t program[FILTER_PROGRAM_BYTES];
    uint32_t cut; /* 1: spoil the code that is made, to see its refusal */
} specialise_order;

#endif
