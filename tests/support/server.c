#include "server.h"
#include "test.h"

#include <sched.h>

static void *serve(void *arg)
{
    server *s = arg;
    while (!atomic_load(&s->stop)) {
        bool paused = atomic_load(&s->paused);
        atomic_store(&s->is_paused, paused);
        if (paused || s->turn(s->user) == 0)
            sched_yield();
    }
    return NULL;
}

void server_start(server *s, unsigned (*turn)(void *user), void *user)
{
    memset(s, 0, sizeof *s);
    s->turn = turn;
    s->user = user;
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

void server_pause(server *s)
{
    atomic_store(&s->paused, true);
    while (!atomic_load(&s->is_paused))
        sched_yield();
}

void server_resume(server *s)
{
    atomic_store(&s->paused, false);
    while (atomic_load(&s->is_paused)) /* or the next pause would take this one for its own */
        sched_yield();
}

void server_stop(server *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
}
