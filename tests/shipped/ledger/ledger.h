/* The messages and the answers of functions of the package `ledger`. */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdint.h>

/* The functions' target_args. */
typedef struct ledger_book {
    int64_t amounts[64];
    uint64_t deposits;
    uint64_t notes;
    char last_note[64];
    uint64_t local; /* how many messages code of the process itself has run */
} ledger_book;

struct ledger_entry {
    uint32_t account;
    int32_t amount;
};

struct ledger_question {
    uint32_t first, last; /* accounts, both included */
};

#endif
