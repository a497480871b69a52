/* Answers with prime numbers, a page at a time. It keeps nothing between two pages: the
 * question has the position to go on at. */
#include "prime_pages.h"
#include <stdbool.h>
#include <string.h>
#include <tc/entry.h>
#include <unistd.h>

static bool is_prime(uint32_t number)
{
    for (uint64_t divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

void prime_pages_main(void *payload, size_t payload_size, void *target_args)
{
    prime_query query;
    prime_page page = {0};
    (void)target_args;
    if (payload_size != sizeof query) {
        tc_reply_error(TC_E_INVALID, "this is no question for prime numbers");
        return;
    }
    memcpy(&query, payload, sizeof query);
    usleep(query.delay_ms * 1000);
    for (page.next = query.from; page.next < query.below; page.next++) {
        if (page.count == PRIMES_PER_PAGE)
            break;
        if (is_prime(page.next))
            page.primes[page.count++] = page.next;
    }
    tc_reply(&page, sizeof page);
}
