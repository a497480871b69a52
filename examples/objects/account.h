/* Objects of this example: accounts. Each moves to a rank that has used it twice in a row. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <tc/object.h>

/* The class, and the answer of both methods. */
typedef struct account {
    int64_t balance;
    uint32_t deposits;
    uint32_t newest; /* the rank that used it last */
    uint32_t rank;   /* where it is */
    uint32_t moves;
} account;

typedef struct account_message {
    tc_gptr object;
    int64_t amount;
} account_message;

/* The name under which each rank publishes memory for the pointers to all accounts. */
#define ACCOUNT_POINTERS "account_pointers"

#endif
