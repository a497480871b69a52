/* Answers with the summary of a sensor. */
#include "../series_store.h"

#include <tc/entry.h>

void summary_main(void *payload, size_t payload_size, void *target_args)
{
    series_summary summary = {.count = 0};
    (void)target_args;
    if (payload_size == sizeof(series_question))
        series_summarise(((const series_question *)payload)->sensor, &summary);
    (void)tc_reply(&summary, sizeof summary);
}
