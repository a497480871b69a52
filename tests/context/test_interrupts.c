/* Blocking calls that the program ends before their deadlines (tc_context_set_interrupt). */
#include "../support/test.h"
#include "../support/test_context.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <tc/advanced.h>
#include <tc/endpoint.h>
#include <tc/group.h>
#include <unistd.h>

typedef struct bench {
    tc_context *ctx;
    int silent;       /* a socket that listens and never answers */
    char address[32]; /* its own */
    unsigned asked;
    unsigned patience; /* how often the program declines */
} bench;

static int is_over(void *user)
{
    bench *b = user;
    return ++b->asked > b->patience;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof name;
    b->ctx = test_context(NULL);
    b->patience = 2;
    b->silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(b->silent, (struct sockaddr *)&name, size), 0);
    assert_int_equal(listen(b->silent, 8), 0);
    assert_int_equal(getsockname(b->silent, (struct sockaddr *)&name, &size), 0);
    (void)snprintf(b->address, sizeof b->address, "127.0.0.1:%u", ntohs(name.sin_port));
    tc_context_set_interrupt(b->ctx, is_over, b);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    tc_context_destroy(b->ctx);
    (void)close(b->silent);
    free(b);
    return 0;
}

static void assert_given_up(bench *b, tc_status status, const tc_error *error)
{
    assert_status(status, TC_E_TIMEOUT);
    assert_non_null(strstr(error->text, "before the program gave up"));
    assert_int_equal(b->asked, b->patience + 1);
    assert_status(tc_wait(b->ctx, 1000000), TC_E_TIMEOUT);
}

TEST_WITH(connecting, setup, teardown)
{
    bench *b = *state;
    tc_error error = {0};
    tc_ep *ep = NULL;
    tc_status status = tc_ep_connect(b->ctx, b->address, TC_SECONDS(600), &ep, &error);
    assert_given_up(b, status, &error);
    assert_null(ep);
}

static tc_group *make_pair(bench *b, uint32_t rank)
{
    const tc_group_member members[2] = {{b->address, strlen(b->address)},
                                        {b->address, strlen(b->address)}};
    const tc_group_params params = {.id = 7, .rank = rank, .size = 2, .members = members};
    tc_error error = {0};
    tc_group *group;
    must(tc_group_create(b->ctx, &params, &group, &error), &error, "group");
    return group;
}

TEST_WITH(a_group, setup, teardown)
{
    bench *b = *state;
    tc_error error = {0};
    for (uint32_t rank = 0; rank < 2; rank++) {
        tc_group *group = make_pair(b, rank);
        b->asked = 0;
        assert_given_up(b, tc_group_connect(group, TC_FOREVER, &error), &error);
        b->asked = 0;
        assert_given_up(b, tc_group_barrier(group, TC_SECONDS(600), &error), &error);
        tc_group_destroy(group);
    }
}

TEST_WITH(a_call_that_ends_by_itself_is_not_asked_for, setup, teardown)
{
    bench *b = *state;
    tc_error error = {0};
    tc_group *group;
    must(tc_group_join(b->ctx, TC_SECONDS(60), &group, &error), &error, "alone");
    must(tc_group_barrier(group, TC_SECONDS(60), &error), &error, "barrier");
    tc_group_destroy(group);
    assert_int_equal(b->asked, 0);
}

TEST_WITH(a_deadline_counts_beside_it, setup, teardown)
{
    bench *b = *state;
    tc_error error = {0};
    tc_ep *ep;
    b->patience = 1000000;
    assert_status(tc_ep_connect(b->ctx, b->address, TC_MILLISECONDS(200), &ep, &error),
                  TC_E_TIMEOUT);
    assert_null(strstr(error.text, "gave up"));
    tc_context_set_interrupt(b->ctx, NULL, NULL);
    b->asked = 0;
    assert_status(tc_ep_connect(b->ctx, b->address, TC_MILLISECONDS(200), &ep, &error),
                  TC_E_TIMEOUT);
    assert_int_equal(b->asked, 0);
}
