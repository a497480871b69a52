/* Runs of basic elements: a type map in short.
 *
 * The order of runs is that of the type map, which is the order in which data travels; only
 * neighbours in that order are merged. Types that MPI builds of one dense element stay one run,
 * so the common types cost nothing; others have a run for each piece, TCM_RUNS_MAX at most. */
#include "mpix_runs.h"

#include <stdlib.h>
#include <string.h>

static const char too_long[] = "it has more than 65,536 pieces";
static const char too_far[] = "an offset in it is beyond 2^48";
static const char no_memory[] = "memory is missing";
static const char overlap[] = "its elements overlap";

static int far(int64_t offset)
{
    return offset > TCM_OFFSET_MAX || offset < -TCM_OFFSET_MAX;
}

/* --- lists -------------------------------------------------------------------------------- */

const char *tcm_runs_push(tcm_runs *list, tcm_run run)
{
    if (run.count == 0 || run.bytes == 0)
        return NULL;
    if (far(run.offset) || run.count > (uint64_t)TCM_OFFSET_MAX / run.bytes)
        return too_far;
    if (list->count > 0) {
        tcm_run *last = &list->runs[list->count - 1];
        if (last->basic == run.basic && last->bytes == run.bytes &&
            last->offset + (int64_t)(last->count * last->bytes) == run.offset) {
            last->count += run.count;
            return far((int64_t)(last->count * last->bytes)) ? too_far : NULL;
        }
    }
    if (list->count == list->capacity) { /* bound: TCM_RUNS_MAX */
        uint32_t capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        if (capacity > TCM_RUNS_MAX)
            return too_long;
        tcm_run *grown = realloc(list->runs, capacity * sizeof *grown);
        if (grown == NULL)
            return no_memory;
        list->runs = grown;
        list->capacity = capacity;
    }
    list->runs[list->count++] = run;
    return NULL;
}

/* Returns whether elements that are `stride` apart are one run. */
static int is_dense(const tcm_runs *type, int64_t stride)
{
    return type->count == 1 && stride == (int64_t)(type->runs[0].count * type->runs[0].bytes);
}

const char *tcm_runs_append(tcm_runs *list, const tcm_runs *type, int64_t count, int64_t stride,
                            int64_t at)
{
    list->has_darray |= type->has_darray;
    if (count <= 0 || type->count == 0)
        return NULL;
    if (far(at) || far(stride) || (stride != 0 && count > TCM_OFFSET_MAX / llabs(stride)))
        return too_far;
    if (is_dense(type, stride)) {
        tcm_run run = type->runs[0];
        run.offset += at;
        if ((uint64_t)count > (uint64_t)TCM_OFFSET_MAX / run.count)
            return too_far;
        run.count *= (uint64_t)count;
        return tcm_runs_push(list, run);
    }
    for (int64_t i = 0; i < count; i++) {
        for (uint32_t r = 0; r < type->count; r++) {
            tcm_run run = type->runs[r];
            run.offset += at + i * stride;
            const char *text = tcm_runs_push(list, run);
            if (text != NULL)
                return text;
        }
    }
    return NULL;
}

static int is_axis(const tcm_axis *axis)
{
    return axis->first >= 0 && axis->block > 0 && axis->period >= axis->block &&
           axis->end <= axis->size;
}

const char *tcm_runs_append_axis(tcm_runs *list, const tcm_runs *type, const tcm_axis *axis)
{
    const int64_t extent = type->extent, first = axis->first, period = axis->period;
    if (!is_axis(axis))
        return "a dimension in it is malformed";
    if (far(extent) || (extent != 0 && axis->size > TCM_OFFSET_MAX / llabs(extent)))
        return too_far;
    list->extent = axis->size * extent;
    if (first >= axis->end)
        return NULL;
    /* The last block is apart, as it may be cut. */
    const int64_t before = (axis->end - first - 1) / period;
    const int64_t last = first + before * period, rest = axis->end - last;
    tcm_runs whole = {0};
    const char *text = NULL;
    if (before > 0)
        text = tcm_runs_append(&whole, type, axis->block, extent, 0);
    if (text == NULL && before > 0)
        text = tcm_runs_append(list, &whole, before, period * extent, first * extent);
    if (text == NULL)
        text = tcm_runs_append(list, type, rest < axis->block ? rest : axis->block, extent,
                               last * extent);
    tcm_runs_fini(&whole);
    return text;
}

const char *tcm_runs_close(tcm_runs *list, int64_t extent)
{
    list->extent = extent;
    list->begin = list->end = 0;
    list->size = 0;
    if (extent < 0)
        return "its extent is negative";
    if (far(extent))
        return too_far;
    for (uint32_t r = 0; r < list->count; r++) {
        const tcm_run *run = &list->runs[r];
        int64_t end = run->offset + (int64_t)(run->count * run->bytes);
        if (run->offset < 0)
            return "it has negative offsets";
        list->begin = r == 0 || run->offset < list->begin ? run->offset : list->begin;
        list->end = end > list->end ? end : list->end;
        list->size += run->count * run->bytes;
    }
    return NULL;
}

void tcm_runs_fini(tcm_runs *list)
{
    free(list->runs);
    memset(list, 0, sizeof *list);
}

/* --- signatures --------------------------------------------------------------------------- */

/* A position in the type signature of `left` elements of a type. */
typedef struct cursor {
    const tcm_runs *type;
    uint64_t left; /* elements of the type, this one included */
    uint32_t run;
    uint64_t done; /* basic elements of the run */
} cursor;

/* Basic elements of one kind that follow; 0 at the end. */
static uint64_t follows(const cursor *at)
{
    if (at->left == 0 || at->type->count == 0)
        return 0;
    uint64_t of_run = at->type->runs[at->run].count;
    return (at->type->count == 1 ? of_run * at->left : of_run) - at->done;
}

static void skip(cursor *at, uint64_t elements)
{
    at->done += elements;
    if (follows(at) > 0)
        return;
    at->done = 0;
    if (at->type->count == 1) {
        at->left = 0;
    } else if (++at->run == at->type->count) {
        at->run = 0;
        at->left--;
    }
}

int tcm_runs_match(const tcm_runs *a, uint64_t a_count, const tcm_runs *b, uint64_t b_count)
{
    cursor left = {a, a_count, 0, 0}, right = {b, b_count, 0, 0};
    for (;;) {
        uint64_t both = follows(&left), other = follows(&right);
        if (both == 0 || other == 0)
            return both == other;
        const tcm_run *x = &a->runs[left.run], *y = &b->runs[right.run];
        if (x->basic != y->basic || x->bytes != y->bytes)
            return 0;
        both = both < other ? both : other;
        skip(&left, both);
        skip(&right, both);
    }
}

/* --- segments ----------------------------------------------------------------------------- */

const char *tcm_runs_range(const tcm_runs *type, uint64_t count, uint64_t *shift_out,
                           uint64_t *span_out)
{
    *shift_out = *span_out = 0;
    if (count == 0 || type->size == 0)
        return NULL;
    if (type->extent > 0 && count - 1 > (uint64_t)TCM_OFFSET_MAX / (uint64_t)type->extent)
        return too_far;
    *shift_out = (uint64_t)type->begin;
    *span_out = (count - 1) * (uint64_t)type->extent + (uint64_t)(type->end - type->begin);
    return NULL;
}

/* Appends bytes to blocks, merging neighbours. */
static uint64_t add_block(tc_am_block *blocks, uint64_t count, uint64_t offset, uint64_t bytes)
{
    if (count > 0 && blocks[count - 1].offset + blocks[count - 1].bytes == offset) {
        blocks[count - 1].bytes += bytes;
        return count;
    }
    blocks[count] = (tc_am_block){offset, bytes};
    return count + 1;
}

/* Returns whether blocks are equally long and equally far from one another, upwards. */
static int is_regular(const tc_am_block *blocks, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        if (blocks[i].bytes != blocks[0].bytes || blocks[i].offset <= blocks[i - 1].offset ||
            blocks[i].offset - blocks[i - 1].offset != blocks[1].offset - blocks[0].offset)
            return 0;
    }
    return blocks[0].offset == 0;
}

/* The layout of several blocks; it takes them if it has to list them. */
static void lay_out_blocks(tcm_segment *segment, tc_am_block *blocks, uint64_t count)
{
    tc_am_layout *layout = &segment->layout;
    layout->count = count;
    if (is_regular(blocks, count)) {
        layout->block = blocks[0].bytes;
        layout->stride = count > 1 ? blocks[1].offset : blocks[0].bytes;
        free(blocks);
        return;
    }
    segment->blocks = blocks;
    layout->blocks = blocks;
}

static const char *lay_out(tcm_segment *segment, const tcm_runs *type, uint64_t count)
{
    uint64_t used = 0, extent = (uint64_t)type->extent;
    if (count > TCM_BLOCKS_MAX / type->count)
        return "a segment of it has more than 65,536 pieces";
    tc_am_block *blocks = malloc(count * type->count * sizeof *blocks);
    if (blocks == NULL)
        return no_memory;
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t r = 0; r < type->count; r++) {
            const tcm_run *run = &type->runs[r];
            used = add_block(blocks, used, i * extent + (uint64_t)(run->offset - type->begin),
                             run->count * run->bytes);
        }
    }
    lay_out_blocks(segment, blocks, used);
    return NULL;
}

const char *tcm_segment_init(tcm_segment *segment, const tcm_runs *type, uint64_t count)
{
    memset(segment, 0, sizeof *segment);
    const char *text = tcm_runs_range(type, count, &segment->shift, &segment->span);
    if (text != NULL || segment->span == 0)
        return text;
    tc_am_layout *layout = &segment->layout;
    const uint64_t extent = (uint64_t)type->extent;
    if (type->count == 1 && type->size == extent) { /* dense */
        layout->bytes = count * type->size;
        return NULL;
    }
    layout->extent = count * extent;
    if (type->count == 1 && (count == 1 || extent > type->size)) {
        layout->count = count;
        layout->block = type->size;
        layout->stride = extent > 0 ? extent : type->size;
        return NULL;
    }
    return lay_out(segment, type, count);
}

void tcm_segment_fini(tcm_segment *segment)
{
    free(segment->blocks);
    segment->blocks = NULL;
}

/* --- overlaps ----------------------------------------------------------------------------- */

static int by_offset(const void *left, const void *right)
{
    const tc_am_block *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Returns whether sorted blocks meet the same ones `shift` bytes higher. */
static int meets_itself(const tc_am_block *blocks, uint64_t count, uint64_t shift)
{
    for (uint64_t low = 0, high = 0; low < count && high < count;) {
        uint64_t from = blocks[high].offset + shift;
        if (from >= blocks[low].offset + blocks[low].bytes)
            low++;
        else if (from + blocks[high].bytes <= blocks[low].offset)
            high++;
        else
            return 1;
    }
    return 0;
}

static const char *check_blocks(tc_am_block *blocks, uint64_t count, uint64_t span,
                                uint64_t extent, uint64_t segments)
{
    qsort(blocks, count, sizeof *blocks, by_offset);
    for (uint64_t i = 1; i < count; i++) {
        if (blocks[i].offset < blocks[i - 1].offset + blocks[i - 1].bytes)
            return overlap;
    }
    if (segments > 1 && extent == 0)
        return overlap;
    for (uint64_t k = 1; k < segments && k * extent < span; k++) {
        if (k * count > 16u * TCM_BLOCKS_MAX)
            return "its segments are interleaved in too many pieces";
        if (meets_itself(blocks, count, k * extent))
            return overlap;
    }
    return NULL;
}

const char *tcm_segment_check(const tcm_segment *segment, uint64_t segments)
{
    const tc_am_layout *layout = &segment->layout;
    if (layout->count == 0)
        return NULL;
    if (layout->blocks == NULL && (layout->count == 1 || layout->stride >= layout->block) &&
        (segments <= 1 || layout->extent >= segment->span))
        return NULL;
    if (layout->count > TCM_BLOCKS_MAX)
        return "its segments are interleaved in too many pieces";
    tc_am_block *blocks = malloc(layout->count * sizeof *blocks);
    if (blocks == NULL)
        return no_memory;
    for (uint64_t i = 0; i < layout->count; i++) {
        blocks[i] = layout->blocks != NULL ? layout->blocks[i]
                                           : (tc_am_block){i * layout->stride, layout->block};
    }
    const char *text =
        check_blocks(blocks, layout->count, segment->span, layout->extent, segments);
    free(blocks);
    return text;
}
