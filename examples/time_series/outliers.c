/* Goes to the data and answers with the samples of a sensor that are above a bound. */
#include "outliers.h"

#include <tc/entry.h>

typedef struct search {
    int64_t above;
    outliers_answer answer;
} search;

static int look(void *user, const series_sample *sample)
{
    search *s = user;
    return outliers_look(s->above, &s->answer, sample);
}

void outliers_main(void *payload, size_t payload_size, void *target_args)
{
    const outliers_question *question = payload;
    search s = {.above = 0};
    (void)target_args;
    if (payload_size == sizeof *question) {
        s.above = question->above;
        series_scan(question->sensor, look, &s);
    }
    (void)tc_reply(&s.answer, sizeof s.answer);
}
