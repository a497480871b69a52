/* Reads values that C++ has packed as a struct of C, and answers with the requested number of
 * bytes. */
#include <stdint.h>
#include <string.h>
#include <tc/entry.h>

struct box {
    uint8_t kind;
    double weight;
    uint16_t sides[3];
    char name[];
};

void box_main(void *payload, size_t size, void *target_args)
{
    const struct box *box = payload;
    double sum = 0;
    (void)target_args;
    if (size == 0)
        return; /* has answered nothing */
    if (size < offsetof(struct box, name)) {
        tc_reply(payload, size);
        return;
    }
    for (int i = 0; i < 3; i++)
        sum += box->sides[i];
    sum = sum * box->weight + box->kind + (double)(size - offsetof(struct box, name));
    tc_reply(&sum, sizeof sum);
}
