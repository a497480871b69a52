/* A source on the one-file library: opens a function's archive, sends payloads of several sizes
 * and calls: source HOST:PORT ARCHIVE. Prints the way that messages take. */
#include "tchains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 300000u
#define MESSAGES 1000

static uint8_t payload[LARGEST];

static int call(tc_ep *ep, tc_ifunc *sum, size_t size, tc_error *err)
{
    uint64_t answer = 0, expected = 0;
    size_t answer_size = sizeof answer;
    for (size_t i = 0; i < size; i++)
        expected += payload[i];
    if (tc_call(ep, sum, payload, size, &answer, &answer_size, TC_SECONDS(30), err) != TC_OK)
        return 0;
    if (answer == expected && answer_size == sizeof answer)
        return 1;
    err->status = TC_E_INVALID;
    (void)snprintf(err->text, sizeof err->text, "the sum of %zu bytes is %llu, expected %llu",
                   size, (unsigned long long)answer, (unsigned long long)expected);
    return 0;
}

static int run(tc_context *ctx, const char *host_port, const char *path, tc_error *err)
{
    static const size_t sizes[] = {0, 1, 1000, 40000, LARGEST};
    const tc_code code = {.path = path};
    tc_ep *ep;
    tc_ifunc *sum;
    tc_ep_info info;
    if (tc_ep_connect(ctx, host_port, TC_SECONDS(30), &ep, err) != TC_OK ||
        tc_ifunc_open_code(ctx, &code, &sum, err) != TC_OK)
        return 0;
    for (int i = 0; i < MESSAGES; i++) {
        if (tc_send_wait(ep, sum, payload, (size_t)i, TC_SECONDS(30), err) != TC_OK)
            return 0;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!call(ep, sum, sizes[i], err))
            return 0;
    }
    tc_ep_query(ep, &info);
    printf("%s, UCX of the peer: %s\n", info.delivery, info.peer_ucx);
    return tc_ep_flush(ep, TC_SECONDS(30), err) == TC_OK && tc_ep_refusal(ep, err) == 0;
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_error err = {0};
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7 + i / 251);
    int succeeded = argc == 3 && tc_context_create(NULL, &ctx, &err) == TC_OK &&
                    run(ctx, argv[1], argv[2], &err);
    if (!succeeded)
        fprintf(stderr, "%s: %s\n", tc_status_text(err.status), err.text);
    tc_context_destroy(ctx);
    return succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}
