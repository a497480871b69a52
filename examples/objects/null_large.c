/* An account with as many bytes behind it as the argument says. */
#include "account.h"

#include <tc/object_entry.h>

TC_OBJECT_CONSTRUCTOR(null_large, account)
(account *mine, const void *arguments, size_t size, tc_object_self *self)
{
    if (size != sizeof(uint64_t) ||
        tc_object_resize(self, sizeof *mine + *(const uint64_t *)arguments) == NULL)
        tc_object_fail(self, TC_E_INVALID, "no such size");
}
