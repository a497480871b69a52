/* Answers, and goes on for a while. */
#include <tc/entry.h>
#include <unistd.h>

void early_main(void *payload, size_t payload_size, void *target_args)
{
    (void)target_args;
    tc_status status = tc_reply(payload, payload_size);
    (void)status; /* the caller is notified of an empty answer */
    (void)usleep(200000);
}
