/* Answers with 1 where the library of the target's own runs, and with 0 as it was sent. */
#include <stdint.h>
#include <tc/call.h>
#include <tc/entry.h>

void origin_main(void *payload, size_t payload_size, void *target_args)
{
#ifdef TC_PACKAGE_LOCAL
    const uint64_t is_local = 1;
#else
    const uint64_t is_local = 0;
#endif
    (void)payload;
    (void)payload_size;
    (void)target_args;
    (void)!tc_reply(&is_local, sizeof is_local);
}
