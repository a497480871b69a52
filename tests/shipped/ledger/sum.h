/* The part of the function `total` that adds. */
#ifndef LEDGER_SUM_H
#define LEDGER_SUM_H

#include "ledger.h"

int64_t ledger_sum(const ledger_book *book, const struct ledger_question *question);

#endif
