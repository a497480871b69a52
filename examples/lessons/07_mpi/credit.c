/* Adds to the account of the process where it runs, and answers with the new balance. */
#include <string.h>
#include <tc/entry.h>

void credit_main(void *payload, size_t payload_size, void *target_args)
{
    long *account = target_args, amount;
    if (payload_size != sizeof amount) {
        tc_reply_error(TC_E_INVALID, "this is no amount");
        return;
    }
    memcpy(&amount, payload, sizeof amount);
    *account += amount;
    tc_reply(account, sizeof *account);
}
