/* Messages that answer a hello, or end its conversation: ready, refuse, bye, doorbell. */
#include "../support/test.h"
#include "hello_golden.h"
#include "hello_sample.h"

TEST(small_messages_have_their_golden_bytes)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    assert_ok(tci_hello_ready_encode(TCI_HELLO_AM, buf, sizeof buf, &size));
    assert_int_equal(size, sizeof golden_ready);
    assert_memory_equal(buf, golden_ready, size);
    assert_ok(tci_hello_refuse_encode(TC_E_VERSION, "UCX 1.18.1, this side 1.13.1", buf,
                                      sizeof buf, &size));
    assert_int_equal(size, sizeof golden_refuse);
    assert_memory_equal(buf, golden_refuse, size);
    assert_ok(tci_hello_bye_encode(buf, sizeof buf, &size));
    assert_int_equal(size, sizeof golden_bye);
    assert_memory_equal(buf, golden_bye, size);
    assert_ok(tci_hello_wakeup_encode(buf, sizeof buf, &size));
    assert_int_equal(size, sizeof golden_wakeup);
    assert_memory_equal(buf, golden_wakeup, size);

    uint8_t delivery;
    tc_error refusal;
    assert_ok(tci_hello_ready_decode(golden_ready, sizeof golden_ready, &delivery, NULL));
    assert_int_equal(delivery, TCI_HELLO_AM);
    assert_ok(tci_hello_refuse_decode(golden_refuse, sizeof golden_refuse, &refusal, NULL));
    assert_status(refusal.status, TC_E_VERSION);
    assert_string_equal(refusal.text, "UCX 1.18.1, this side 1.13.1");
    assert_ok(tci_hello_bye_decode(golden_bye, sizeof golden_bye, NULL));
}

TEST(ready_carries_any_number)
{
    for (unsigned value = 0; value < 256; value++) {
        uint8_t buf[TCI_HELLO_PREAMBLE_BYTES + 1];
        size_t size;
        uint8_t delivery;
        assert_ok(tci_hello_ready_encode((uint8_t)value, buf, sizeof buf, &size));
        assert_ok(tci_hello_ready_decode(buf, size, &delivery, NULL));
        assert_int_equal(delivery, value);
    }
}

TEST(refusals_keep_their_reason)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    char text[1000];
    size_t size;
    tc_error refusal;
    memset(text, 'r', sizeof text);
    text[sizeof text - 1] = '\0';
    text[3] = '\t';
    text[4] = '\xe4';
    assert_ok(tci_hello_refuse_encode(TC_E_REFUSED, text, buf, sizeof buf, &size));
    assert_int_equal(size, TCI_HELLO_PREAMBLE_BYTES + 4 + TCI_HELLO_REFUSE_TEXT_MAX);
    assert_ok(tci_hello_refuse_decode(buf, size, &refusal, NULL));
    assert_status(refusal.status, TC_E_REFUSED);
    assert_int_equal(strlen(refusal.text), TCI_HELLO_REFUSE_TEXT_MAX);
    assert_memory_equal(refusal.text, "rrr??r", 6);

    /* Perhaps from a newer peer. */
    assert_ok(tci_hello_refuse_encode((tc_status)-1000, "", buf, sizeof buf, &size));
    assert_ok(tci_hello_refuse_decode(buf, size, &refusal, NULL));
    assert_int_equal((int)refusal.status, -1000);
    assert_string_equal(refusal.text, "");

    assert_status(tci_hello_refuse_encode(TC_OK, "", buf, sizeof buf, &size), TC_E_INVALID);
}

TEST(refusals_without_a_reason_are_damage)
{
    uint8_t buf[sizeof golden_refuse];
    tc_error refusal = {0};
    tc_error err = {0};
    memcpy(buf, golden_refuse, sizeof buf);
    memset(buf + HELLO_BODY_AT, 0, 4);
    hello_repair(buf, sizeof buf);
    assert_status(tci_hello_refuse_decode(buf, sizeof buf, &refusal, &err), TC_E_CORRUPT);
    assert_contains(&err, "status 0");
    memcpy(buf, golden_refuse, sizeof buf);
    buf[HELLO_BODY_AT + 4] = 0x1b;
    hello_repair(buf, sizeof buf);
    assert_status(tci_hello_refuse_decode(buf, sizeof buf, &refusal, &err), TC_E_CORRUPT);
    assert_contains(&err, "0x1b at 0");
}
