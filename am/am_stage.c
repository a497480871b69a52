#include "am_stage.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <tc/am.h>

typedef struct tca_grant {
    struct tca_grant *next;
    uint64_t number;
    uint64_t at; /* in its buffer; a multiple of 64 */
    uint64_t bytes;
    uint64_t end_ns; /* it comes back then */
    uint32_t origin;
    uint32_t input, output; /* bytes that it was reserved for */
} tca_grant;

_Static_assert(sizeof(((tca_stage *)NULL)->buffers) / sizeof(tca_buffer) == TC_AM_BUFFERS_MAX,
               "as many as the header states");
_Static_assert(sizeof(tca_grant_facts) == 24, "no padding");

tc_status tca_stage_attach(tca_stage *stage, tc_context *ctx, tc_group *group, void *memory,
                           uint64_t bytes, tc_error *err)
{
    const tc_window_params params = {.memory = memory,
                                     .bytes = bytes,
                                     .rights = TC_WINDOW_READ | TC_WINDOW_WRITE,
                                     .group = group};
    uint32_t i = 0;
    if (memory == NULL || bytes == 0 || (uintptr_t)memory % 8 != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "%llu bytes at %p, expected memory at a multiple of 8",
                             (unsigned long long)bytes, memory);
    while (i < TC_AM_BUFFERS_MAX && stage->buffers[i].memory != NULL)
        i++;
    if (i == TC_AM_BUFFERS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%u buffers are attached", TC_AM_BUFFERS_MAX);
    TC_TRY(tc_window_open(ctx, &params, &stage->buffers[i].pointer, err));
    stage->buffers[i].memory = memory;
    stage->buffers[i].bytes = bytes;
    assert(stage->buffers[i].first == NULL);
    return TC_OK;
}

static void let_go(tca_stage *stage, tca_grant **at)
{
    tca_grant *grant = *at;
    assert(stage->grant_count > 0);
    *at = grant->next;
    stage->grant_count--;
    free(grant);
}

tc_status tca_stage_detach(tca_stage *stage, tc_context *ctx, const void *memory)
{
    for (uint32_t i = 0; i < TC_AM_BUFFERS_MAX; i++) {
        tca_buffer *buffer = &stage->buffers[i];
        if (buffer->memory == NULL || buffer->memory != memory)
            continue;
        if (buffer->first != NULL)
            return TC_E_BUSY;
        (void)tc_window_close(ctx, buffer->pointer);
        buffer->memory = NULL;
        return TC_OK;
    }
    return TC_E_NOT_FOUND;
}

void tca_stage_free(tca_stage *stage, tc_context *ctx)
{
    for (uint32_t i = 0; i < TC_AM_BUFFERS_MAX; i++) {
        tca_buffer *buffer = &stage->buffers[i];
        while (buffer->first != NULL)
            let_go(stage, &buffer->first);
        if (buffer->memory != NULL)
            (void)tc_window_close(ctx, buffer->pointer);
        buffer->memory = NULL;
    }
    assert(stage->grant_count == 0);
}

/* The first gap of a buffer that is large enough, as the link that a grant there belongs into.
 * NULL: no gap is. */
static tca_grant **find_gap(tca_buffer *buffer, uint64_t bytes, uint64_t *at_out)
{
    uint64_t free_from = 0;
    for (tca_grant **link = &buffer->first;; link = &(*link)->next) {
        const uint64_t free_to = *link != NULL ? (*link)->at : buffer->bytes;
        assert(free_from <= free_to);
        if (free_to - free_from >= bytes) {
            *at_out = free_from;
            return link;
        }
        if (*link == NULL)
            return NULL;
        free_from = (*link)->at + (*link)->bytes;
    }
}

static void take_back_old(tca_stage *stage, uint64_t now_ns)
{
    for (uint32_t i = 0; i < TC_AM_BUFFERS_MAX; i++) {
        tca_grant **link = &stage->buffers[i].first;
        while (*link != NULL) {
            if (now_ns >= (*link)->end_ns)
                let_go(stage, link);
            else
                link = &(*link)->next;
        }
    }
}

static tca_grant **find_link(tca_stage *stage, uint64_t bytes, tca_buffer **buffer_out,
                             uint64_t *at_out, uint64_t *largest_out)
{
    *largest_out = 0;
    for (uint32_t i = 0; i < TC_AM_BUFFERS_MAX; i++) {
        tca_buffer *buffer = &stage->buffers[i];
        if (buffer->memory == NULL)
            continue;
        if (buffer->bytes > *largest_out)
            *largest_out = buffer->bytes;
        tca_grant **link = find_gap(buffer, bytes, at_out);
        if (link != NULL) {
            *buffer_out = buffer;
            return link;
        }
    }
    return NULL;
}

tc_status tca_stage_reserve(tca_stage *stage, uint32_t origin, uint32_t input, uint32_t output,
                            uint64_t now_ns, tca_grant_facts *facts_out, tc_error *err)
{
    const uint64_t bytes = tca_stage_bytes(input) + tca_stage_bytes(output);
    uint64_t at = 0, largest;
    tca_buffer *buffer = NULL;
    take_back_old(stage, now_ns);
    tca_grant **link = find_link(stage, bytes, &buffer, &at, &largest);
    if (bytes == 0 || bytes > largest)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a segment of %llu bytes, and %llu are attached",
                             (unsigned long long)bytes, (unsigned long long)largest);
    if (link == NULL || stage->grant_count == TCA_GRANTS_MAX)
        return tci_error_set(err, TC_E_AGAIN, "all attached memory is reserved, in %u parts",
                             stage->grant_count);
    tca_grant *grant = malloc(sizeof *grant);
    if (grant == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "a grant of attached memory");
    *grant = (tca_grant){.next = *link,
                         .number = ++stage->last_grant,
                         .at = at,
                         .bytes = bytes,
                         .end_ns = now_ns + TCA_GRANT_NS,
                         .origin = origin,
                         .input = input,
                         .output = output};
    *link = grant;
    stage->grant_count++;
    *facts_out =
        (tca_grant_facts){.memory = tc_gptr_add(buffer->pointer, at), .grant = grant->number};
    return TC_OK;
}

tc_status tca_stage_find(const tca_stage *stage, uint32_t origin, uint64_t number,
                         uint32_t input, uint32_t output, uint8_t **memory_out, tc_error *err)
{
    for (uint32_t i = 0; i < TC_AM_BUFFERS_MAX; i++) {
        const tca_buffer *buffer = &stage->buffers[i];
        for (const tca_grant *grant = buffer->first; grant != NULL; grant = grant->next) {
            if (grant->number == number && grant->origin == origin && grant->input == input &&
                grant->output == output) {
                *memory_out = buffer->memory + grant->at;
                return TC_OK;
            }
        }
    }
    return tci_error_set(err, TC_E_NOT_FOUND,
                         "grant %llu of attached memory is not rank %u's for %u and %u bytes",
                         (unsigned long long)number, origin, input, output);
}

void tca_stage_release(tca_stage *stage, uint32_t origin, uint64_t number)
{
    for (uint32_t i = 0; i < TC_AM_BUFFERS_MAX; i++) {
        for (tca_grant **link = &stage->buffers[i].first; *link != NULL;
             link = &(*link)->next) {
            if ((*link)->number == number && (*link)->origin == origin) {
                let_go(stage, link);
                return;
            }
        }
    }
}
