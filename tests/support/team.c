#include "team.h"
#include "test.h"
#include "test_context.h"

#include <tc/advanced.h>
#include <tc/ifunc.h>

static unsigned progress_others(void *user)
{
    team *t = user;
    unsigned run = 0;
    for (uint32_t rank = 1; rank < t->size; rank++)
        run += tc_progress(t->contexts[rank]);
    return run;
}

static void form_groups(team *t, const tc_group_member *members)
{
    tc_error error = {0};
    for (uint32_t rank = 0; rank < t->size; rank++) {
        const tc_group_params params = {
            .id = 77, .rank = rank, .size = t->size, .members = members};
        must(tc_group_create(t->contexts[rank], &params, &t->groups[rank], &error), &error,
             "group");
    }
    must(tc_ifunc_open(t->contexts[0], "travel", &t->fn, &error), &error, "travel");
    server_start(&t->server, progress_others, t);
}

void team_open(team *t, uint32_t size, const char *const *options)
{
    char addresses[TEAM_MAX][32];
    tc_group_member members[TEAM_MAX];
    tc_error error = {0};
    memset(t, 0, sizeof *t);
    t->size = size;
    for (uint32_t rank = 0; rank < size; rank++) {
        t->contexts[rank] = test_context(options);
        must(tc_listener_open(t->contexts[rank], "127.0.0.1:0", &t->listeners[rank], &error),
             &error, "listener");
        (void)snprintf(addresses[rank], sizeof addresses[rank], "127.0.0.1:%u",
                       tc_listener_port(t->listeners[rank]));
        members[rank] = (tc_group_member){addresses[rank], strlen(addresses[rank])};
    }
    form_groups(t, members);
}

void team_open_by_address(team *t, uint32_t size, const char *const *options)
{
    tc_group_member members[TEAM_MAX];
    memset(t, 0, sizeof *t);
    t->size = size;
    for (uint32_t rank = 0; rank < size; rank++) {
        t->contexts[rank] = test_context(options);
        members[rank].address = tc_context_address(t->contexts[rank], &members[rank].size);
    }
    form_groups(t, members);
}

static void *destroy(void *context)
{
    tc_context_destroy(context);
    return NULL;
}

/* All at once, as processes end: closing an endpoint takes both sides. */
void team_close(team *t)
{
    pthread_t threads[TEAM_MAX];
    team_resume(t);
    server_stop(&t->server);
    for (uint32_t rank = 0; rank < t->size; rank++)
        assert_int_equal(pthread_create(&threads[rank], NULL, destroy, t->contexts[rank]), 0);
    for (uint32_t rank = 0; rank < t->size; rank++)
        pthread_join(threads[rank], NULL);
}

void team_run(void (*test)(team *t))
{
    team t;
    team_open(&t, 2, NULL);
    test(&t);
    team_close(&t);
}

void team_pause(team *t)
{
    server_pause(&t->server);
}

void team_resume(team *t)
{
    server_resume(&t->server);
}

tc_ep *team_ep(team *t, uint32_t rank)
{
    tc_error error = {0};
    tc_ep *ep;
    must(tc_group_ep(t->groups[0], rank, &ep, &error), &error, "endpoint");
    return ep;
}
