#include "ledger.h"

#include <tc/entry.h>

void deposit_main(void *payload, size_t payload_size, void *target_args)
{
    const struct ledger_entry *entries = payload;
    ledger_book *book = target_args;
    for (size_t i = 0; i < payload_size / sizeof *entries; i++)
        book->amounts[entries[i].account % 64] += entries[i].amount;
    book->deposits++;
#ifdef TC_PACKAGE_LOCAL
    book->local++;
#endif
}
