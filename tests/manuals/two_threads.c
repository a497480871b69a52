/* Uses one context from two threads at the same time: a program that TC_CHECK_THREADS=yes ends.
 *
 *   two_threads */
#include <pthread.h>
#include <tc/context.h>
#include <unistd.h>

static void *progress_without_end(void *arg)
{
    for (;;)
        (void)tc_progress(arg);
    return NULL;
}

int main(void)
{
    tc_context *ctx;
    tc_error err;
    pthread_t other;
    (void)alarm(60);
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        pthread_create(&other, NULL, progress_without_end, ctx) != 0)
        return 2;
    (void)progress_without_end(ctx);
    return 0;
}
