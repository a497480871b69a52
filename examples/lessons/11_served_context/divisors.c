/* Answers with how many divisors a number has. */
#include <stdint.h>
#include <string.h>
#include <tc/entry.h>

void divisors_main(void *payload, size_t payload_size, void *target_args)
{
    uint32_t number, count = 0;
    (void)target_args;
    if (payload_size != sizeof number) {
        tc_reply_error(TC_E_INVALID, "a number has four bytes");
        return;
    }
    memcpy(&number, payload, sizeof number);
    for (uint32_t divisor = 1; divisor <= number; divisor++)
        count += number % divisor == 0;
    tc_reply(&count, sizeof count);
}
