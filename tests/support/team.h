/* A group of contexts in one process: rank 0 in the test's thread, the others in a thread of
 * their own. How they talk comes from the environment, as with pair.h. */
#ifndef TEAM_H
#define TEAM_H

#include "server.h"

#include <tc/group.h>

#define TEAM_MAX 16
#define TEAM_TIMEOUT_NS 60000000000ull

typedef struct team {
    uint32_t size;
    tc_context *contexts[TEAM_MAX];
    tc_group *groups[TEAM_MAX];
    tc_listener *listeners[TEAM_MAX];
    server server; /* of the others */
    tc_ifunc *fn;  /* travel, opened at rank 0 */
} team;

/* option/value pairs for all contexts, ended by NULL; or NULL. */
void team_open(team *t, uint32_t size, const char *const *options);
/* The same by the bytes of tc_context_address instead of listeners. */
void team_open_by_address(team *t, uint32_t size, const char *const *options);
void team_close(team *t);

/* Defines a test of a team t of two without options, which is closed behind it. */
#define TEAM_TEST(name) TEST_BY(team_run, name, team *t)
void team_run(void (*test)(team *t));

void team_pause(team *t);
void team_resume(team *t);

tc_ep *team_ep(team *t, uint32_t rank);

#endif
