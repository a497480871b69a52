/* Answers with the address of the UCX worker that the process has published. */
#include <tc/entry.h>

void worker_address_main(void *payload, size_t payload_size, void *target_args)
{
    size_t size;
    const void *address = tc_self_data("worker_address", &size);
    (void)payload, (void)payload_size, (void)target_args;
    if (address == NULL)
        tc_reply_error(TC_E_NOT_FOUND, "this process has published no worker");
    else
        tc_reply(address, size);
}
