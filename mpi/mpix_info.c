#include "mpix_info.h"

#include <string.h>
#include <tc/am.h>

static const struct {
    const char *word;
    uint32_t bit;
} orders[] = {{"sameop", TC_AM_UNORDERED_SAME_OP},
              {"diffop", TC_AM_UNORDERED_OTHER_OP},
              {"sameam", TC_AM_UNORDERED_SEGMENTS}};

/* The bit of a word of so many bytes; 0 for another word. */
static uint32_t bit_of(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strlen(orders[i].word) == size && memcmp(orders[i].word, word, size) == 0)
            return orders[i].bit;
    }
    return 0;
}

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

int tcm_info_read(const char *value, uint32_t *unordered_out)
{
    uint32_t kept = 0;
    const char *at = skip_spaces(value);
    if (strncmp(at, "none", 4) != 0 || *skip_spaces(at + 4) != '\0') {
        for (;; at = skip_spaces(at + 1)) {
            size_t size = strcspn(at, ", \t");
            uint32_t bit = bit_of(at, size);
            if (bit == 0)
                return 0;
            kept |= bit;
            at = skip_spaces(at + size);
            if (*at == '\0')
                break;
            if (*at != ',')
                return 0;
        }
    }
    *unordered_out =
        (TC_AM_UNORDERED_SAME_OP | TC_AM_UNORDERED_OTHER_OP | TC_AM_UNORDERED_SEGMENTS) & ~kept;
    return 1;
}
