#include "tool_json.h"

#include <stdint.h>
#include <string.h>

/* Returns the size in bytes of the UTF-8 character at the front; 0 if it begins with no lead
 * byte, is truncated, longer than necessary, a surrogate or beyond the last. */
static size_t character_size(const uint8_t *at, size_t size)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t wanted = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    if (wanted < 2 || wanted > size)
        return wanted == 1;
    uint32_t character = at[0] & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3f);
    }
    if (character < smallest[wanted] || character > 0x10ffff ||
        (character >= 0xd800 && character < 0xe000))
        return 0;
    return wanted;
}

void tool_json_bytes(FILE *out, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    fputc('"', out);
    for (size_t i = 0, n; i < size; i += n) {
        n = character_size(at + i, size - i);
        if (at[i] == '"' || at[i] == '\\')
            fprintf(out, "\\%c", at[i]);
        else if (n == 0 || at[i] < 0x20 || at[i] == 0x7f)
            fprintf(out, "\\u%04x", at[i]);
        else
            fwrite(at + i, 1, n, out);
        n += n == 0;
    }
    fputc('"', out);
}

void tool_json_text(FILE *out, const char *text)
{
    tool_json_bytes(out, text, strlen(text));
}

void tool_json_member(FILE *out, const char *name, const char *text)
{
    tool_json_text(out, name);
    fputs(": ", out);
    tool_json_text(out, text);
}
