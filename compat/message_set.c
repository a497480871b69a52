#include "message_set.h"

#include <pthread.h>

#define BUCKETS 1024u

static struct {
    pthread_mutex_t lock;
    tci_ifunc_message *buckets[BUCKETS];
} messages = {.lock = PTHREAD_MUTEX_INITIALIZER};

static tci_ifunc_message **bucket_of(const void *frame)
{
    return &messages.buckets[((uintptr_t)frame >> 6) % BUCKETS];
}

void tci_message_set_add(tci_ifunc_message *message)
{
    tci_ifunc_message **bucket = bucket_of(message->frame);
    pthread_mutex_lock(&messages.lock);
    message->next = *bucket;
    *bucket = message;
    pthread_mutex_unlock(&messages.lock);
}

tci_ifunc_message *tci_message_set_take(const void *frame)
{
    tci_ifunc_message *found;
    pthread_mutex_lock(&messages.lock);
    tci_ifunc_message **at = bucket_of(frame);
    while (*at != NULL && (const void *)(*at)->frame != frame)
        at = &(*at)->next;
    found = *at;
    if (found != NULL)
        *at = found->next;
    pthread_mutex_unlock(&messages.lock);
    return found;
}
