/* Memory that a rank has attached to its window, and the parts of it that origins have
 * reserved. */
#ifndef TCA_AM_STAGE_H
#define TCA_AM_STAGE_H

#include <stdbool.h>
#include <tc/window.h>

#define TCA_GRANTS_MAX 256u /* of a window at a rank */
#define TCA_GRANT_NS TC_SECONDS(30)

/* The answer to TCA_RESERVE, 24 bytes. */
typedef struct tca_grant_facts {
    tc_gptr memory; /* of the part; put the input there, get the output behind it */
    uint64_t grant; /* its number; never 0 */
} tca_grant_facts;

struct tca_grant;

typedef struct tca_buffer {
    uint8_t *memory; /* NULL: this entry is free */
    uint64_t bytes;
    tc_gptr pointer;
    struct tca_grant *first; /* by offset; bound: TCA_GRANTS_MAX */
} tca_buffer;

typedef struct tca_stage {
    tca_buffer buffers[16]; /* TC_AM_BUFFERS_MAX */
    uint32_t grant_count;
    uint64_t last_grant;
} tca_stage;

/* The output lies behind the input, at the next multiple of 64. */
static inline uint64_t tca_stage_bytes(uint64_t bytes)
{
    return (bytes + 63) & ~(uint64_t)63;
}

TC_MUST_CHECK tc_status tca_stage_attach(tca_stage *stage, tc_context *ctx, tc_group *group,
                                         void *memory, uint64_t bytes, tc_error *err);
TC_MUST_CHECK tc_status tca_stage_detach(tca_stage *stage, tc_context *ctx, const void *memory);

/* Takes all back, reserved or not. */
void tca_stage_free(tca_stage *stage, tc_context *ctx);

/* Reserves a part for an origin. Those that were reserved for longer than TCA_GRANT_NS come
 * back first.
 *
 *   TC_E_TOO_LARGE  no buffer is so large
 *   TC_E_AGAIN      all is reserved, or TCA_GRANTS_MAX parts are
 *   TC_E_NO_MEMORY  for its record */
TC_MUST_CHECK tc_status tca_stage_reserve(tca_stage *stage, uint32_t origin, uint32_t input,
                                          uint32_t output, uint64_t now_ns,
                                          tca_grant_facts *facts_out, tc_error *err);

/* Finds an origin's part, for sizes that it was reserved for.
 *
 *   TC_E_NOT_FOUND  it has no such part any more */
TC_MUST_CHECK tc_status tca_stage_find(const tca_stage *stage, uint32_t origin, uint64_t grant,
                                       uint32_t input, uint32_t output, uint8_t **memory_out,
                                       tc_error *err);

/* Gives it back. A number that is unknown is allowed: the part has come back by itself. */
void tca_stage_release(tca_stage *stage, uint32_t origin, uint64_t grant);

#endif
