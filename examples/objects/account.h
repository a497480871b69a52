/* Objects of this example: accounts. Each moves to a rank that has used it twice in a row. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "objects.h"

typedef struct account {
    int64_t balance;
    uint32_t deposits;
    uint32_t newest; /* rank that used it last */
} account;

/* To account_deposit; account_read takes the head alone. Both answer with an account_answer. */
typedef struct account_message {
    object_head head;
    int64_t amount;
} account_message;

typedef struct account_answer {
    account account;
    object_news whereabouts;
} account_answer;

#endif
