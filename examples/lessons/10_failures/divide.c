/* Divides at the target. It has to report errors, or it ends the target. */
#include "divide.h"
#include <assert.h>
#include <string.h>
#include <tc/entry.h>
#include <unistd.h>

void divide_main(void *payload, size_t payload_size, void *target_args)
{
    division what;
    int quotient;
    (void)target_args;
    if (payload_size != sizeof what) {
        tc_reply_error(TC_E_INVALID, "this is no division");
        return;
    }
    memcpy(&what, payload, sizeof what);
    usleep(what.delay_ms * 1000);
    if (what.divisor == 0 && what.checked) {
        tc_reply_error(TC_E_INVALID, "division by zero");
        return;
    }
    assert(what.divisor != 0);
    quotient = what.dividend / what.divisor;
    tc_reply(&quotient, sizeof quotient);
}
