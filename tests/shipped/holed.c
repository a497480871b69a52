/* Two holes of unlike sizes. Compiled as C and, as `holed_cxx`, as C++. */
#include "holed.h"

#include "check.h"

#include <string.h>
#include <tc/call.h>
#include <tc/entry.h>

TC_HOLE(offset, holed_offset);
TC_HOLE(factor, uint64_t);

static uint64_t compute(uint64_t number)
{
    const holed_offset own = {offset.low, {offset.high[0], offset.high[1], offset.high[2]}};
    return holed_result(number, factor, own);
}

#ifdef __cplusplus
extern "C" void holed_cxx_main(void *payload, size_t payload_size, void *target_args);
void holed_cxx_main(void *payload, size_t payload_size, void *target_args)
#else
void holed_main(void *payload, size_t payload_size, void *target_args)
#endif
{
    holed_message message;
    check_state *state = (check_state *)target_args;
    if (payload_size < sizeof message)
        return;
    memcpy(&message, payload, sizeof message);
    message.number = compute(message.number);
    state->next++;
    state->bytes = message.number;
    if (message.times > 0) {
        message.times--;
        state->wrong +=
            tc_send(tc_self_endpoint(), tc_self_ifunc(), &message, sizeof message) != TC_OK;
    }
    (void)!tc_reply(&message.number, sizeof message.number);
}
