/* Answers with the sum of some accounts. */
#include "sum.h"

#include <tc/entry.h>

TC_PROTOTYPE(total, "({u32,u32})->i64");

void total_main(void *payload, size_t payload_size, void *target_args)
{
    int64_t sum = payload_size == sizeof(struct ledger_question)
                      ? ledger_sum(target_args, payload)
                      : INT64_MIN;
    (void)tc_reply(&sum, sizeof sum);
#ifdef TC_PACKAGE_LOCAL
    ((ledger_book *)target_args)->local++;
#endif
}
