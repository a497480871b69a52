/* Messages that this side makes wrongly end the process. */
#include "../support/broken_invariant.h"
#include "bootstrap/run_protocol.h"
#include "wire/hello.h"

TEST_BROKEN(hello_kind)
{
    static const tci_hello hello;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    assert_ok(tci_hello_encode(&hello, TCI_HELLO_READY, bytes, sizeof bytes, &size, NULL));
}

TEST_BROKEN(run_packet)
{
    static const uint8_t address[2 * TCI_RUN_PACKET_MAX];
    uint8_t packet[TCI_RUN_PACKET_MAX];
    const tci_run_request request = {
        .kind = TCI_RUN_PUBLISH, .address = address, .address_size = sizeof address};
    (void)tci_run_request_encode(&request, packet);
}
