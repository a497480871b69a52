/* Types shared by the function walk and its caller. */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>

/* Goes round members base .. base + width - 1. */
typedef struct walk_message {
    uint32_t left; /* members to go to still */
    uint32_t base;
    uint32_t width;
    uint32_t size;   /* of the group, as the last member sees it */
    uint64_t digest; /* of the ranks that it came to, in their order */
} walk_message;

static inline uint64_t walk_digest(uint64_t digest, uint32_t rank)
{
    return (digest + rank + 1) * 0x9e3779b97f4a7c15u;
}

static inline uint32_t walk_next(const walk_message *m, uint32_t rank)
{
    return m->base + (rank - m->base + 1) % m->width;
}

#endif
