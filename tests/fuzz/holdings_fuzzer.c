/* A node's answer to tc-info: accepted parts lie within the answer, and their texts end and can
 * be shown on a terminal; every refusal has a reason. */
#include "../../tools/node_holdings.h"
#include "fuzzer.h"

#include <string.h>

static void check_text(const char *text, size_t room)
{
    MUST(memchr(text, '\0', room) != NULL);
    for (; *text != '\0'; text++)
        MUST(*text >= 0x20 && *text < 0x7f);
}

static void check(const node_holdings *h, const uint8_t *answer, size_t size)
{
    MUST((const uint8_t *)h->libraries >= answer);
    MUST((const uint8_t *)(h->libraries + h->library_count) == (const uint8_t *)h->packages);
    MUST((const uint8_t *)(h->packages + h->package_count) == answer + size);
    for (size_t i = 0; i < h->library_count; i++) {
        check_text(h->libraries[i].name, sizeof h->libraries[i].name);
        check_text(h->libraries[i].owner, sizeof h->libraries[i].owner);
    }
    for (size_t i = 0; i < h->package_count; i++)
        check_text(h->packages[i].name, sizeof h->packages[i].name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[200] = "";
    node_holdings holdings;
    uint8_t *answer = malloc(size + 1);
    MUST(answer != NULL);
    if (size > 0)
        memcpy(answer, data, size);
    if (node_holdings_read(answer, size, &holdings, why, sizeof why))
        check(&holdings, answer, size);
    else
        MUST(why[0] != '\0');
    free(answer);
    return 0;
}
