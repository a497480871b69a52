/* Any bytes, as a message between tc-run and a process that it started, and as the published
 * text of a job's member. An accepted message must encode to the very same bytes. */
#include "bootstrap/job_address.h"
#include "bootstrap/run_protocol.h"
#include "fuzzer.h"

#include <string.h>

static void require_same(const uint8_t *data, size_t size, const uint8_t *again,
                         size_t again_size)
{
    if (size != again_size || memcmp(data, again, size) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t again[TCI_RUN_PACKET_MAX];
    tci_run_request request;
    tci_run_reply reply;
    tci_job_address address;
    tc_error err;
    if (tci_run_request_decode(data, size, &request, &err) == TC_OK)
        require_same(data, size, again, tci_run_request_encode(&request, again));
    if (tci_run_reply_decode(data, size, &reply, &err) == TC_OK)
        require_same(data, size, again, tci_run_reply_encode(&reply, again));
    if (tci_job_address_decode(data, size, &address, &err) == TC_OK)
        require_same(data, size, again, tci_job_address_encode(&address, again));
    return 0;
}
