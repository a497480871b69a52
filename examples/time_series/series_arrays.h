/* Growing samples and their summaries: the common parts of both versions of the library, and of
 * the plain program that the service is compared with. */
#ifndef SERIES_ARRAYS_H
#define SERIES_ARRAYS_H

#include "series_store.h"

#include <stdlib.h>

typedef struct series_array {
    series_sample *samples;
    size_t count;
    size_t capacity;
} series_array;

/* Inside an init: moves the samples of the library that was in force before, which forgets
 * them. The older one runs nothing meanwhile, so nothing comes between. */
static inline void series_arrays_take(series_array *mine, series_array *older)
{
    for (size_t i = 0; older != NULL && i < SERIES_SENSORS; i++) {
        mine[i] = older[i];
        older[i] = (series_array){.samples = NULL};
    }
}

static inline void series_arrays_free(series_array *arrays)
{
    for (size_t i = 0; i < SERIES_SENSORS; i++)
        free(arrays[i].samples);
}

static inline int series_array_append(series_array *array, const series_sample *sample)
{
    if (array->count == array->capacity) {
        size_t capacity = array->capacity == 0 ? 16 : 2 * array->capacity;
        series_sample *samples = realloc(array->samples, capacity * sizeof *samples);
        if (samples == NULL)
            return -1;
        array->samples = samples;
        array->capacity = capacity;
    }
    array->samples[array->count++] = *sample;
    return 0;
}

static inline void series_summary_add(series_summary *summary, const series_sample *sample)
{
    if (summary->count == 0 || sample->value < summary->least)
        summary->least = sample->value;
    if (summary->count == 0 || sample->value > summary->greatest)
        summary->greatest = sample->value;
    summary->count++;
    summary->sum += sample->value;
}

#endif
