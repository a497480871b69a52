/* Counts primes where it runs, and carries the answer back to where it came from: which has the
 * other architecture's code of the same function. */
#include "primes.h"

#include <string.h>
#include <tc/entry.h>

static uint32_t count_primes(uint32_t below)
{
    uint32_t primes = 0;
    for (uint32_t n = 2; n < below; n++) {
        uint32_t d = 2;
        while (d * d <= n && n % d != 0)
            d++;
        primes += d * d > n;
    }
    return primes;
}

void primes_main(void *payload, size_t size, void *target_args)
{
    primes_question question;
    primes_answers *answers = target_args;
    if (size != sizeof question)
        return;
    memcpy(&question, payload, sizeof question);
    if (answers != NULL) {
        answers->count++;
        answers->last = question;
        return;
    }
    question.primes = count_primes(question.below);
#if defined(__aarch64__)
    strcpy(question.code, "aarch64");
#else
    strcpy(question.code, "x86_64");
#endif
    if (question.answer)
        (void)tc_send(tc_self_endpoint(), tc_self_ifunc(), &question, sizeof question);
}
