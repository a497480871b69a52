/* The tables of deliveries: their rows agree with the wire, with the option, and within each
 * row. */
#include "base/option_table.h"
#include "delivery/delivery.h"
#include "delivery/link_ops.h"
#include "modules/ucx/ucx_deliveries.h"
#include "../support/test.h"

/* The rows of both tables. */
static const tci_delivery_ops *row(size_t index)
{
    size_t own = 0;
    while (tci_delivery_table[own] != NULL)
        own++;
    return index < own ? tci_delivery_table[index] : tci_ucx_deliveries[index - own];
}

static unsigned count_rows(void)
{
    unsigned count = 0;
    while (row(count) != NULL)
        count++;
    return count;
}

TEST(each_number_names_one_row)
{
    for (unsigned i = 0; row(i) != NULL; i++) {
        const tci_delivery_ops *ops = row(i);
        assert_in_range(ops->wire_id, 1, UINT8_MAX);
        assert_ptr_equal(tci_delivery_find(tci_ucx_deliveries, ops->wire_id), ops);
    }
    assert_null(tci_delivery_find(tci_ucx_deliveries, TCI_DELIVERY_AUTO));
    assert_null(tci_delivery_find(tci_ucx_deliveries, UINT64_MAX));
}

TEST(ready_takes_what_is_in_the_table)
{
    for (unsigned number = 0; number <= UINT8_MAX; number++) {
        const tci_delivery_ops *ops = tci_delivery_find(tci_ucx_deliveries, number);
        tci_delivery_arrival arrival;
        tc_error err = {0};
        tc_status status =
            tci_delivery_arrival_of(tci_ucx_deliveries, (uint8_t)number, &arrival, &err);
        if (ops != NULL) {
            assert_int_equal(status, TC_OK);
            assert_int_equal(arrival.ring_is_mapped, ops->arrival.ring_is_mapped);
            assert_int_equal(arrival.frames_by_message, ops->arrival.frames_by_message);
        } else {
            assert_int_equal(status, TC_E_CORRUPT);
            assert_non_null(
                strstr(err.text, "expected 1 (direct), 4 (stream), 3 (put) or 2 (am)"));
        }
    }
}

TEST(without_a_network_there_are_only_its_own)
{
    tci_delivery_arrival arrival;
    tc_error err = {0};
    assert_ptr_equal(tci_delivery_find(NULL, TCI_HELLO_STREAM), &tci_delivery_stream);
    assert_null(tci_delivery_find(NULL, TCI_HELLO_AM));
    assert_int_equal(tci_delivery_arrival_of(NULL, TCI_HELLO_PUT, &arrival, &err),
                     TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "expected 1 (direct) or 4 (stream)"));
}

/* The option's row is in a layer that cannot see the table. */
TEST(the_option_offers_what_is_in_the_table)
{
    size_t index = 0;
    unsigned choices = 1;
    while (strcmp(tc_options_info(index)->name, "delivery") != 0)
        index++;
    for (const char *at = tc_options_info(index)->range; (at = strchr(at, '|')) != NULL; at++)
        choices++;
    assert_int_equal(choices, 1 + count_rows()); /* auto, and each of them */
    for (unsigned i = 0; row(i) != NULL; i++) {
        tc_options *opts;
        assert_int_equal(tc_options_create(&opts, NULL), TC_OK);
        assert_int_equal(tc_options_set(opts, "delivery", row(i)->name, NULL), TC_OK);
        assert_int_equal(opts->delivery, row(i)->wire_id);
        tc_options_destroy(opts);
    }
}

/* A carrier of frames reports them; a sender with a mapped ring reads credit there. */
TEST(rows_do_not_contradict_themselves)
{
    for (unsigned i = 0; row(i) != NULL; i++) {
        const tci_delivery_ops *ops = row(i);
        assert_non_null(ops->open);
        assert_non_null(ops->close);
        assert_int_equal(ops->push == NULL, ops->turn == NULL);
        assert_int_equal(ops->credit == NULL, ops->arrival.ring_is_mapped);
        assert_false(ops->arrival.ring_is_mapped && ops->arrival.frames_by_message);
    }
}

TEST(rings_are_made_for_the_delivery_asked_for)
{
    assert_int_equal(tci_delivery_region_use(tci_ucx_deliveries, TCI_DELIVERY_AUTO),
                     TCI_REGION_MAPPED);
    assert_int_equal(tci_delivery_region_use(tci_ucx_deliveries, TCI_HELLO_AM),
                     TCI_REGION_MAPPED);
    assert_int_equal(tci_delivery_region_use(tci_ucx_deliveries, TCI_HELLO_PUT),
                     TCI_REGION_PUT);
    assert_int_equal(tci_delivery_region_use(tci_ucx_deliveries, TCI_HELLO_STREAM),
                     TCI_REGION_CLOSED);
}

static const tci_link_ops by_ucx = {.carries = TCI_LINK_MESSAGES | TCI_LINK_PUTS,
                                    .lacks = "there is no connection"};
static const tci_link_ops by_stream = {.carries = TCI_LINK_RECORDS,
                                       .lacks = "all goes over the connection"};

static void expect_refusal(uint64_t wanted, const tci_delivery_peer *peer, const char *text)
{
    tci_delivery *delivery;
    tc_error err = {0};
    assert_int_equal(tci_delivery_open(tci_ucx_deliveries, wanted, peer, &delivery, &err),
                     TC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, text));
}

TEST(auto_takes_the_first_that_reaches_the_peer)
{
    tci_link link = {&by_ucx};
    const tci_delivery_peer elsewhere = {
        .link = &link, .ring_bytes = 4096, .segment = TCI_SEGMENT_NONE};
    tci_delivery *delivery;
    tc_error err = {0};
    assert_int_equal(
        tci_delivery_open(tci_ucx_deliveries, TCI_DELIVERY_AUTO, &elsewhere, &delivery, &err),
        TC_OK);
    assert_string_equal(delivery->ops->name, "am");
    delivery->ops->close(delivery);
    expect_refusal(TCI_HELLO_DIRECT, &elsewhere, "cannot be mapped");
    expect_refusal(TCI_HELLO_PUT, &elsewhere, "no key");
    expect_refusal(TCI_HELLO_STREAM, &elsewhere, "no connection");
}

/* The kind of the link decides between the two that send messages. */
TEST(with_a_streams_link_there_is_no_ucx)
{
    tci_link link = {&by_stream};
    const tci_delivery_peer elsewhere = {.link = &link,
                                         .ring_bytes = 4096,
                                         .segment = TCI_SEGMENT_NONE,
                                         .rkey = "",
                                         .rkey_size = 1};
    tci_delivery *delivery;
    tc_error err = {0};
    assert_int_equal(
        tci_delivery_open(tci_ucx_deliveries, TCI_DELIVERY_AUTO, &elsewhere, &delivery, &err),
        TC_OK);
    assert_string_equal(delivery->ops->name, "stream");
    delivery->ops->close(delivery);
    expect_refusal(TCI_HELLO_AM, &elsewhere, "over the connection");
    expect_refusal(TCI_HELLO_PUT, &elsewhere, "over the connection");
}
