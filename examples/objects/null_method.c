#include "account.h"

#include <tc/object_entry.h>

TC_OBJECT_METHOD(null_method, account, tc_gptr)
(account *mine, const tc_gptr *message, tc_object_self *self)
{
    (void)mine, (void)message, (void)self;
}
