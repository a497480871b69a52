/* A peer's UCX address and key to its memory, looked at before UCX parses them. The first byte
 * chooses one, the second the offset where the process's own end and the peer's begin: reads of
 * both stay within them. */
#include "fuzzer.h"
#include "modules/ucx/ucx_address.h"
#include "modules/ucx/ucx_rkey.h"

#include <string.h>

/* A fake one: the machine is not queried. */
#define PID 0x3ffffffe
#define ADDRESS 0x1000

static uint8_t *copy(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    MUST(bytes != NULL);
    memcpy(bytes, data, size);
    return bytes;
}

static void check_address(const uint8_t *own, size_t own_size, const uint8_t *their,
                          size_t their_size)
{
    const tci_ucx_address mine = {own, own_size, PID}, theirs = {their, their_size, PID};
    tc_error error = {0};
    tc_status status = tci_ucx_address_check(&theirs, &mine, &error);
    MUST(status == TC_OK || (error.status == status && error.text[0] != '\0'));
    (void)tci_ucx_address_posix(&theirs, &mine);
}

static void check_key(const uint8_t *own, size_t own_size, const uint8_t *their,
                      size_t their_size)
{
    const tci_ucx_rkey mine = {own, own_size, ADDRESS, PID, 0xff};
    const tci_ucx_rkey theirs = {their, their_size, ADDRESS, PID, 0xff};
    tc_error error = {0};
    tc_status status = tci_ucx_rkey_check(&theirs, 4096, &mine, &error);
    MUST(status == TC_OK || (error.status == status && error.text[0] != '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t both = size - 2, own_size = data[1] < both ? data[1] : both;
    uint8_t *own = copy(data + 2, own_size);
    uint8_t *their = copy(data + 2 + own_size, both - own_size);
    if (data[0] & 2) /* the same for both: a right one passes */
        memcpy(their, own, own_size < both - own_size ? own_size : both - own_size);
    if (data[0] & 1)
        check_key(own, own_size, their, both - own_size);
    else
        check_address(own, own_size, their, both - own_size);
    free(own);
    free(their);
    return 0;
}
