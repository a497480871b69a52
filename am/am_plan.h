/* An active message as the program has asked for it, after all checks that need no other
 * rank. */
#ifndef TCA_AM_PLAN_H
#define TCA_AM_PLAN_H

#include "am_header.h"

#define TCA_EXTENSION_SMALL 128u /* bytes that need no allocation */

typedef struct tca_plan {
    tc_am_params params; /* layouts are in the members below */
    tca_layout input, output;
    uint32_t unit;           /* segments of a unit */
    uint32_t extension_size; /* 0: none */
    uint8_t *extension_large;
    tc_am_block *blocks;                          /* copies for input and output, or NULL */
    bool is_spread;                               /* the target's layout has gaps */
    bool is_staged;                               /* a segment needs attached memory */
    uint8_t extension_small[TCA_EXTENSION_SMALL]; /* last: most plans do not use it */
} tca_plan;

/* Checks the plan's params, and fills in the other members; tca_plan_release frees them.
 *
 *   unit_bytes    for params.unit = 0
 *
 *   as tc_am_start  for params */
TC_MUST_CHECK tc_status tca_plan_make(tca_plan *plan, uint32_t unit_bytes, tc_error *err);
void tca_plan_release(tca_plan *plan);

/* Copies the part that is used; the copy is the one to release. */
static inline void tca_plan_move(tca_plan *to, const tca_plan *from)
{
    memcpy(to, from, offsetof(tca_plan, extension_small));
    if (from->extension_size > 0 && from->extension_large == NULL)
        memcpy(to->extension_small, from->extension_small, from->extension_size);
}

/* Bytes that a number of segments takes of the credit. */
static inline uint64_t tca_plan_charge(const tca_plan *plan, uint32_t segments)
{
    return segments * (plan->input.bytes + plan->output.bytes);
}

/* The size of a unit as a message. */
static inline size_t tca_plan_payload_size(const tca_plan *plan, uint32_t segments)
{
    const size_t head = sizeof(tca_header) + plan->extension_size;
    const size_t input = (size_t)(segments * plan->input.bytes);
    return input > 0 ? tca_header_input_offset(head, input) + input : head;
}

/* Writes a unit: header, extension and input.
 *
 *   payload_out  tca_plan_payload_size bytes, aligned to 8 */
void tca_plan_write(const tca_plan *plan, uint16_t window, uint32_t op, uint32_t first,
                    uint32_t segments, void *payload_out);

/* Writes a segment whose input is in attached memory: header, extension, number of the grant.
 * Returns the size.
 *
 *   payload_out  TCA_HEAD_BYTES_MAX bytes, aligned to 8 */
size_t tca_plan_write_staged(const tca_plan *plan, uint16_t window, uint32_t op, uint32_t first,
                             uint64_t grant, void *payload_out);

#endif
