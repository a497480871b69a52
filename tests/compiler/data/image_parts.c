/* Something for every part of an image: code, constants, addresses among constants and in
 * variables, variables with and without a beginning, names that must be there and one that need
 * not. LARGE makes the constants larger than the page that they may share with code. */
#include <stddef.h>
#include <string.h>

#ifndef LARGE
#define LARGE 4
#endif

extern int nowhere(int) __attribute__((weak));

static int calls;
static long zeros[100];
static long begun[3] = {10, 20, 30};
static long *volatile cursor = &begun[1];
static size_t (*const lengths[])(const char *) = {strlen, strlen};
static const char *const names[] = {"one", "three"};
static const int table[LARGE] = {[0] = 100, [LARGE - 1] = 400};

static int twice(int n)
{
    return n == 0 ? 0 : 2 + twice(n - 1);
}

size_t image_parts_payload_get_max_size(void *source_args, size_t source_args_size)
{
    (void)source_args;
    return source_args_size + 3;
}

int image_parts_payload_init(void *payload, size_t payload_size, void *source_args,
                             size_t source_args_size)
{
    (void)payload_size;
    memcpy(payload, source_args, source_args_size);
    return 5;
}

/* target_args is an array of eight long. */
void image_parts_main(void *payload, size_t payload_size, void *target_args)
{
    long *out = target_args;
    (void)payload;
    out[0] = ++calls;
    out[1] = zeros[payload_size % 100]++;
    out[2] = (*cursor)++;
    out[3] = (long)lengths[payload_size % 2](names[payload_size % 2]);
    out[4] = table[payload_size % 2 == 0 ? 0 : LARGE - 1];
    out[5] = twice((int)payload_size);
    out[6] = nowhere != NULL ? nowhere(1) : -1;
    out[7] = (long)payload_size;
}
