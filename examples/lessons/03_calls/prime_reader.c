/* Asks a target for prime numbers: in time, too late, with a wrong question.
 *     prime_reader HOST:PORT BELOW */
#include "prime_pages.h"
#include <stdio.h>
#include <stdlib.h>
#include <tc/tc.h>

extern const tc_embedded prime_pages_tca;

/* All pages of an answer, one call for each. */
static tc_status read_primes(tc_ep *ep, tc_ifunc *fn, uint32_t below, tc_error *err)
{
    prime_query query = {.below = below};
    prime_page page;
    while (query.from < query.below) {
        size_t size = sizeof page;
        tc_status status =
            tc_call(ep, fn, &query, sizeof query, &page, &size, TC_SECONDS(10), err);
        if (status != TC_OK)
            return status;
        if (size != sizeof page || page.count > PRIMES_PER_PAGE || page.next <= query.from) {
            snprintf(err->text, sizeof err->text, "the answer is no page of prime numbers");
            return TC_E_CORRUPT;
        }
        for (uint32_t i = 0; i < page.count; i++)
            printf(" %u", page.primes[i]);
        printf("\n");
        query.from = page.next;
    }
    return TC_OK;
}

/* Calls that do not end well. The endpoint can be used on. */
static void ask_badly(tc_ep *ep, tc_ifunc *fn)
{
    prime_query slow = {.below = 10, .delay_ms = 500};
    tc_error err;
    tc_status status =
        tc_call(ep, fn, &slow, sizeof slow, NULL, NULL, TC_MILLISECONDS(100), &err);
    printf("too slow: %s: %s\n", tc_status_name(status), err.text);
    status = tc_call(ep, fn, "primes", 6, NULL, NULL, TC_SECONDS(10), &err);
    printf("no question: %s: %s\n", tc_status_name(status), err.text);
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error err;
    tc_status status;
    if (argc != 3) {
        fprintf(stderr, "usage: prime_reader HOST:PORT BELOW\n");
        return 2;
    }
    if ((status = tc_context_create(NULL, &ctx, &err)) == TC_OK &&
        (status = tc_ifunc_open_embedded(ctx, &prime_pages_tca, &fn, &err)) == TC_OK &&
        (status = tc_ep_connect(ctx, argv[1], 0, &ep, &err)) == TC_OK) {
        ask_badly(ep, fn);
        status = read_primes(ep, fn, (uint32_t)strtoul(argv[2], NULL, 10), &err);
    }
    if (status != TC_OK)
        fprintf(stderr, "prime_reader: %s\n", err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
