#ifndef WHOAMI_H
#define WHOAMI_H

#include <stdint.h>

typedef struct whoami_answer {
    uint32_t rank;
    uint32_t size;
    uint32_t origin;
} whoami_answer;

#endif
