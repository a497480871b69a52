#include <pthread.h>
#include <stddef.h>

static _Thread_local int of_each;

static void *count(void *argument)
{
    of_each++;
    return argument;
}

void bad_main(void *payload, size_t size, void *target_args)
{
    pthread_t thread;
    (void)payload, (void)size;
    (void)pthread_create(&thread, NULL, count, target_args);
    (void)pthread_join(thread, NULL);
}
