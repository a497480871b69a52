#include "thread_id.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local int own_id __attribute__((tls_model("initial-exec")));

/* Runs in a child of fork: its only thread has another number than its parent's. */
static void forget(void)
{
    own_id = 0;
}

static void install(void)
{
    (void)pthread_atfork(NULL, NULL, forget);
}

int tci_thread_id_own(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (own_id == 0) {
        (void)pthread_once(&once, install);
        own_id = gettid();
    }
    return own_id;
}

uintptr_t tci_thread_id_mark(void)
{
    static _Thread_local char mark __attribute__((tls_model("initial-exec")));
    return (uintptr_t)&mark;
}

void tci_thread_id_name(int id, char name_out[TCI_THREAD_NAME_BYTES])
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/comm", id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, name_out, TCI_THREAD_NAME_BYTES - 1) : 0;
    if (fd >= 0)
        (void)close(fd);
    name_out[n > 0 ? n : 0] = '\0';
    name_out[strcspn(name_out, "\n")] = '\0';
    if (name_out[0] == '\0')
        (void)strcpy(name_out, "no name");
}
