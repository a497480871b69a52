/* A thread that progresses contexts in the background of a test, and can be paused: the pausing
 * thread may use the contexts until it resumes. */
#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct server {
    unsigned (*turn)(void *user); /* progresses once; gives how much has run */
    void *user;
    pthread_t thread;
    atomic_bool stop;
    atomic_bool paused;
    atomic_bool is_paused;
} server;

void server_start(server *s, unsigned (*turn)(void *user), void *user);
void server_pause(server *s);
void server_resume(server *s);
/* Waits for the end of the thread. */
void server_stop(server *s);

#endif
