/* A filter of one client's, which the service knows nothing of. */
#ifndef OUTLIERS_H
#define OUTLIERS_H

#include "series_store.h"

#define OUTLIERS_MAX 16u

/* The function `outliers` takes this and answers with outliers_answer. */
typedef struct outliers_question {
    uint32_t sensor;
    uint32_t reserved;
    int64_t above;
} outliers_question;

typedef struct outliers_answer {
    uint64_t found;                      /* in all */
    series_sample samples[OUTLIERS_MAX]; /* the first of them; the others are zero */
} outliers_answer;

static inline int outliers_look(int64_t above, outliers_answer *answer,
                                const series_sample *sample)
{
    if (sample->value <= above)
        return 0;
    if (answer->found < OUTLIERS_MAX)
        answer->samples[answer->found] = *sample;
    answer->found++;
    return 0;
}

#endif
