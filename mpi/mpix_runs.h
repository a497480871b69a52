/* A datatype as the list of its basic elements, in the order of its type map: pure functions on
 * numbers, without MPI. A function that can refuse returns a text, or NULL for success. */
#ifndef TCM_MPIX_RUNS_H
#define TCM_MPIX_RUNS_H

#include <stddef.h>
#include <stdint.h>
#include <tc/am.h>

#define TCM_RUNS_MAX 65536u   /* of a type */
#define TCM_BLOCKS_MAX 65536u /* of a segment at its origin */
#define TCM_OFFSET_MAX (1ll << 48)

/* Elements of one basic type, one behind the other. */
typedef struct tcm_run {
    int64_t offset;
    uint64_t count;
    uint32_t basic; /* number of the basic type */
    uint32_t bytes; /* of one */
} tcm_run;

/* A zeroed struct is a type without elements. */
typedef struct tcm_runs {
    tcm_run *runs;
    uint32_t count;
    uint32_t capacity;
    int has_darray; /* so has every list that it is appended to */
    int64_t extent; /* from one element of the type to the next */
    int64_t begin;  /* the lowest offset; from here on as tcm_runs_close computes it */
    int64_t end;    /* behind the highest byte */
    uint64_t size;  /* bytes of data */
} tcm_runs;

/* Appends `count` times a type, `stride` bytes from one to the next, the first at `at`. */
const char *tcm_runs_append(tcm_runs *list, const tcm_runs *type, int64_t count, int64_t stride,
                            int64_t at);

/* The part of an array along one dimension, in elements: from `first` on before `end`, blocks
 * `period` apart, of which the last one may be cut. */
typedef struct tcm_axis {
    int64_t size; /* of the whole array */
    int64_t first;
    int64_t block;
    int64_t period;
    int64_t end;
} tcm_axis;

/* Appends that part to an empty list, and sets the list's extent to the whole array's. For each
 * dimension, the fastest first, on the list of the one before. Refuses an axis that is none. */
const char *tcm_runs_append_axis(tcm_runs *list, const tcm_runs *type, const tcm_axis *axis);

/* Appends one run; merges it with the last one where it continues that. */
const char *tcm_runs_push(tcm_runs *list, tcm_run run);

/* Sets the extent and computes the rest. Refuses negative offsets and extents. */
const char *tcm_runs_close(tcm_runs *list, int64_t extent);

void tcm_runs_fini(tcm_runs *list);

/* Returns whether so many of one type and so many of the other have one type signature. */
int tcm_runs_match(const tcm_runs *a, uint64_t a_count, const tcm_runs *b, uint64_t b_count);

/* How one segment of `count` elements lies in memory, from its lowest byte on. */
typedef struct tcm_segment {
    tc_am_layout layout; /* its blocks are those below */
    tc_am_block *blocks; /* or NULL */
    uint64_t shift;      /* from the segment's address in the words of MPI to its lowest byte */
    uint64_t span;       /* from there to behind its highest byte */
} tcm_segment;

/* Makes the layout of a segment. tcm_segment_fini frees it; after a refusal nothing is to be
 * freed. */
const char *tcm_segment_init(tcm_segment *segment, const tcm_runs *type, uint64_t count);
void tcm_segment_fini(tcm_segment *segment);

/* Returns a text if bytes of a segment, or of two among `segments`, overlap. */
const char *tcm_segment_check(const tcm_segment *segment, uint64_t segments);

/* The bytes that `count` elements touch: the first one's offset, and their span. */
const char *tcm_runs_range(const tcm_runs *type, uint64_t count, uint64_t *shift_out,
                           uint64_t *span_out);

#endif
