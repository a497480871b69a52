#include "account.h"

#include <tc/object_entry.h>

TC_OBJECT_CONSTRUCTOR(account_open, account)
(account *mine, const void *arguments, size_t size, tc_object_self *self)
{
    (void)arguments;
    if (size > 0)
        tc_object_fail(self, TC_E_INVALID, "an account is opened without arguments");
    mine->newest = TC_RANK_NONE;
    mine->rank = tc_object_pointer(self).rank;
}
