/* The source arguments given to tc-send. */
#ifndef SEND_PAYLOAD_H
#define SEND_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#define SEND_PAYLOAD_BYTES_MAX (64u << 20)

typedef struct send_payload {
    char *bytes; /* the caller frees them */
    size_t size;
} send_payload;

/* Loads the bytes of a file ("-": standard input), or a text; both NULL: no bytes. Returns
 * false on failure, in most cases after a line on stderr. */
bool send_payload_load(send_payload *payload_out, const char *file, const char *text);

#endif
