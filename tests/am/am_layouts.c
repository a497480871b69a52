/* Segments that lie apart, here and at the target, are the bytes that they are in one piece. */
#include "am_job.h"

enum { SEGMENTS = 37, STRIDE = 96, BYTES = 24, EXTENT = 300 };

static unsigned char from[SEGMENTS * EXTENT + EXTENT], to[SEGMENTS * EXTENT + EXTENT];

typedef struct shape {
    const char *name;
    tc_am_layout layout;
} shape;

static const tc_am_block blocks[] = {{40, 10}, {8, 6}, {200, 8}};
static const tc_am_block sorted[] = {{0, 1}, {3, 2}, {16, 21}};
/* All of 24 bytes. */
static const shape shapes[] = {
    {"one piece", {.bytes = BYTES}},
    {"one piece, apart", {.bytes = BYTES, .extent = 64}},
    {"rows", {.count = 3, .block = 8, .stride = STRIDE}},
    {"rows, apart", {.count = 3, .block = 8, .stride = STRIDE, .extent = EXTENT}},
    {"blocks", {.count = 3, .blocks = blocks, .extent = EXTENT}},
    {"blocks in order", {.count = 3, .blocks = sorted}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static tc_am_block block_of(const tc_am_layout *layout, uint64_t i)
{
    if (layout->count == 0)
        return (tc_am_block){0, layout->bytes};
    return layout->blocks != NULL ? layout->blocks[i]
                                  : (tc_am_block){i * layout->stride, layout->block};
}

static uint64_t extent_of(const tc_am_layout *layout)
{
    const uint64_t count = layout->count > 0 ? layout->count : 1;
    uint64_t end = 0;
    for (uint64_t i = 0; i < count; i++) {
        const tc_am_block block = block_of(layout, i);
        end = block.offset + block.bytes > end ? block.offset + block.bytes : end;
    }
    return layout->extent > 0 ? layout->extent : end;
}

/* Byte number n of a segment. */
static unsigned char *byte_at(unsigned char *memory, const tc_am_layout *layout, uint32_t s,
                              uint64_t n)
{
    for (uint64_t i = 0;; i++) {
        const tc_am_block block = block_of(layout, i);
        if (n < block.bytes)
            return memory + s * extent_of(layout) + block.offset + n;
        n -= block.bytes;
    }
}

static void check(am_job *job, tc_am_window *window, const shape *input, const shape *output,
                  const shape *target, uint32_t unit)
{
    tc_error error;
    size_t changed = 0;
    const tc_am_params params = {.input = from,
                                 .output = to,
                                 .input_layout = input->layout,
                                 .output_layout = output->layout,
                                 .target_input = target != NULL ? &target->layout : NULL,
                                 .target_output = target != NULL ? &target->layout : NULL,
                                 .segments = SEGMENTS,
                                 .unit = unit};
    memset(to, 0, sizeof to);
    REQUIRE_OK(tc_am(window, (job->rank + 1) % job->ranks, job->echo, &params, &error), &error);
    for (uint32_t s = 0; s < SEGMENTS; s++) {
        for (uint64_t n = 0; n < BYTES; n++) {
            unsigned char *got = byte_at(to, &output->layout, s, n);
            REQUIRE(*got == *byte_at(from, &input->layout, s, n));
            *got = 0;
        }
    }
    /* Bytes between the blocks stay as they were. */
    for (size_t i = 0; i < sizeof to; i++)
        changed += to[i] != 0;
    REQUIRE(changed == 0);
}

void am_layouts(am_job *job)
{
    tc_am_window *window = am_job_window(job, (tc_am_window_params){0});
    const uint32_t units[] = {0, 1, 5, SEGMENTS};
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 31 % 255 + 1);
    for (size_t i = 0; i < SHAPES; i++) {
        for (size_t o = 0; o < SHAPES; o++) {
            for (size_t t = 0; t <= SHAPES; t++)
                check(job, window, &shapes[i], &shapes[o], t < SHAPES ? &shapes[t] : NULL,
                      units[(i + o + t) % 4]);
        }
    }
    am_job_meet(job);
    am_job_close(window);
}
