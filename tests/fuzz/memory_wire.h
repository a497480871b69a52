/* Two fake sockets: the bytes of one side wait until the fuzzer lets the other receive it. A
 * program that is linked with this has its recv and send for these two numbers (--wrap=recv,
 * --wrap=send); no call reaches the kernel. */
#ifndef TC_FUZZ_MEMORY_WIRE_H
#define TC_FUZZ_MEMORY_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_WIRE_FD 1000000 /* of end 0; end 1 is the next */
#define MEMORY_WIRE_BYTES 32768u

typedef struct memory_wire_end {
    uint8_t came[MEMORY_WIRE_BYTES]; /* to be received */
    size_t came_begin, came_end;
    uint8_t sent[MEMORY_WIRE_BYTES]; /* by this end, and still under way */
    size_t sent_bytes;
    bool closed; /* nothing comes behind `came` */
    bool full;   /* it takes nothing now */
} memory_wire_end;

extern memory_wire_end memory_wire_ends[2];

/* Nothing was sent. */
void memory_wire_restart(void);
/* Bytes arrive at an end, as many as it has space for. */
void memory_wire_arrive(unsigned end, const uint8_t *bytes, size_t size);
/* The first bytes that `from` sent arrive at `to`, which may be the same. */
void memory_wire_carry(unsigned from, unsigned to, size_t size);
/* It was sent, and never arrives. */
void memory_wire_lose(unsigned from, size_t size);

#endif
