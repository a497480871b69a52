/* A pointer at an odd address: an object file can hold it, an image cannot. */
#include <stddef.h>
#include <stdint.h>

static uint64_t words[2] = {3, 4};

static const struct __attribute__((packed)) {
    char tag;
    uint64_t *volatile word;
} packed = {1, &words[1]};

void packed_pointer_main(void *payload, size_t size, void *target)
{
    (void)payload, (void)size;
    uint64_t *word = packed.word;
    *(uint64_t *)target = *word + (uint64_t)packed.tag;
}
