/* Brings the pointers to all accounts to a rank. */
#include "account.h"

#include <string.h>
#include <tc/entry.h>

void account_list_main(void *payload, size_t size, void *target_args)
{
    size_t capacity = 0;
    void *pointers = tc_self_data(ACCOUNT_POINTERS, &capacity);
    (void)target_args;
    if (pointers == NULL || size != capacity)
        tc_self_fail(TC_E_INVALID, "another number of accounts");
    else
        memcpy(pointers, payload, size);
}
