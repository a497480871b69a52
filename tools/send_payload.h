/* The source arguments that tc-send was given. */
#ifndef SEND_PAYLOAD_H
#define SEND_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#define SEND_PAYLOAD_BYTES_MAX (64u << 20)

typedef struct send_payload {
    char *bytes; /* the caller frees them */
    size_t size;
} send_payload;

/* The bytes of a file ("-": standard input), or a text; both NULL: none. False: a line on stderr says
 * why, or there is no memory. */
bool send_payload_load(send_payload *payload_out, const char *file, const char *text);

#endif
