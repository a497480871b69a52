#include "send_payload.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(const char *path, send_payload *out)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "tc-send: %s: %s\n", path, strerror(errno));
        return false;
    }
    size_t room = 0;
    for (;;) {
        if (out->size == room) {
            room = room == 0 ? 65536 : 2 * room;
            char *bytes = room <= SEND_PAYLOAD_BYTES_MAX ? realloc(out->bytes, room) : NULL;
            if (bytes == NULL) {
                fprintf(stderr, "tc-send: %s: more than %u bytes\n", path,
                        SEND_PAYLOAD_BYTES_MAX);
                break;
            }
            out->bytes = bytes;
        }
        size_t n = fread(out->bytes + out->size, 1, room - out->size, file);
        out->size += n;
        if (n == 0)
            break;
    }
    const bool ok = feof(file) && !ferror(file);
    if (file != stdin)
        fclose(file);
    return ok;
}

bool send_payload_load(send_payload *payload_out, const char *file, const char *text)
{
    *payload_out = (send_payload){NULL, 0};
    if (file != NULL)
        return read_file(file, payload_out);
    if (text == NULL)
        return true;
    payload_out->size = strlen(text);
    payload_out->bytes = strdup(text);
    return payload_out->bytes != NULL;
}
