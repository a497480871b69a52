/* Entries on bytes by chance, in memory that ends with them. Outside of a message their answers
 * go nowhere. */
#include "../support/test.h"

#include "deeds.h"

typedef void (*entry)(void *payload, size_t payload_size, void *target_args);

void dot_main(void *, size_t, void *);
void scale_main(void *, size_t, void *);
void find_main(void *, size_t, void *);
void measure_main(void *, size_t, void *);
void nothing_main(void *, size_t, void *);
void note_main(void *, size_t, void *);
void flip_main(void *, size_t, void *);
void change_main(void *, size_t, void *);
void blend_main(void *, size_t, void *);
void turn_main(void *, size_t, void *);
void squares_main(void *, size_t, void *);
void lengths_main(void *, size_t, void *);
void gaps_main(void *, size_t, void *);
void mix_main(void *, size_t, void *);

static const entry entries[] = {
    dot_main,    scale_main, find_main, measure_main, nothing_main, note_main, flip_main,
    change_main, blend_main, turn_main, squares_main, lengths_main, gaps_main, mix_main};

static uint64_t row = 7;

static uint64_t next_random(void)
{
    row = row * 6364136223846793005u + 1442695040888963407u;
    return row >> 33;
}

/* Numbers of elements: small ones, those around what fits, and those around overflows. */
static uint64_t next_number(size_t size)
{
    const uint64_t edges[] = {next_random() % 9,  size / 8,
                              size / 4,           size,
                              UINT64_MAX,         UINT64_MAX / 8,
                              UINT64_MAX / 8 + 1, UINT64_MAX / 4 + 1,
                              (uint64_t)1 << 63,  0};
    return edges[next_random() % (sizeof edges / sizeof edges[0])];
}

TEST(bytes_by_chance)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        for (unsigned turn = 0; turn < 20000; turn++) {
            const size_t size = (size_t)(next_random() % (turn % 16 == 0 ? 3000 : 100));
            unsigned char *bytes = malloc(size > 0 ? size : 1);
            assert_non_null(bytes);
            for (size_t k = 0; k < size; k++)
                bytes[k] = (unsigned char)(next_random() % 3 == 0 ? next_random() : 1);
            for (size_t k = 0; k + 8 <= size && k < 40; k += 8) {
                const uint64_t number = next_number(size);
                if (next_random() % 4 != 0)
                    memcpy(bytes + k, &number, 8);
            }
            entries[i](bytes, size, NULL);
            free(bytes);
        }
    }
}
