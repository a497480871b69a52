/* Version 1: an array of samples for each sensor, looked through for every question. */
#include "../series_store.h"
#include "../series_arrays.h"

#include <tc/library.h>

/* By this name the next version finds it. */
series_array series_arrays[SERIES_SENSORS];

int series_add(const series_sample *sample)
{
    return sample->sensor < SERIES_SENSORS
               ? series_array_append(&series_arrays[sample->sensor], sample)
               : -1;
}

void series_scan(uint32_t sensor, series_visitor visit, void *user)
{
    for (size_t i = 0; sensor < SERIES_SENSORS && i < series_arrays[sensor].count; i++) {
        if (visit(user, &series_arrays[sensor].samples[i]) != 0)
            return;
    }
}

static int summarise_one(void *user, const series_sample *sample)
{
    series_summary_add(user, sample);
    return 0;
}

void series_summarise(uint32_t sensor, series_summary *out)
{
    *out = (series_summary){.count = 0};
    series_scan(sensor, summarise_one, out);
}

uint32_t series_version(void)
{
    return 1;
}

int series_init(void)
{
    series_arrays_take(series_arrays, tc_library_older("series_arrays"));
    return 0;
}

/* Data that another version has taken over are gone. */
void series_fini(void)
{
    series_arrays_free(series_arrays);
}
