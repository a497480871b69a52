#include "modules/ucx/ucx_address.h"

#include "../../support/test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define PID 0x499c

/* UCX 1.13's address for self and posix, and the terminator of a string. */
static const char text[] = "\x20"                             /* version 0, with: */
                           "\x7b\xfc\x11\x15\x53\x76\xf6\xe5" /* the worker's number */
                           "\x20\0"                           /* a device, no address */
                           "\x63\x75"                         /* self: its name, */
                           "\x77\xcc\x2b\x32"                 /* overhead, */
                           "\x00\xf8\xd7\x4f"                 /* bandwidth, */
                           "\0\0\0\0"                         /* latency, */
                           "\x00\x4f\x03\x00"                 /* flags, */
                           "\x88"                             /* the last one here, */
                           "\x4b\xca\x7e\x87\x7c\xd2\x72\xbe" /* its address */
                           "\x41\x88"                         /* the last device, */
                           "\x42\xaf\x11\xb2\x52\x75\x38\x7b" /* a host */
                           "\xa7\xd3"                         /* posix */
                           "\x77\xcc\x2b\x32"
                           "\x00\x4c\x3e\x50"
                           "\x77\xcc\xab\x33"
                           "\x00\x4f\x23\x00"
                           "\x88"
                           "\x9c\x49\x00\xc0\x02\x00\x00\xc0"; /* file 11 of process 0x499c */
#define SAMPLE_BYTES (sizeof text - 1)
static const uint8_t *const sample = (const uint8_t *)text;

enum { VERSION_AT = 0, SELF_COST_AT = 13, SELF_LENGTH_AT = 29, HOST_AT = 40, POSIX_AT = 67 };

static const tci_ucx_address own = {text, SAMPLE_BYTES, PID};

static tc_status check(const void *bytes, size_t size, pid_t pid)
{
    const tci_ucx_address address = {bytes, size, pid};
    tc_error error = {0};
    tc_status status = tci_ucx_address_check(&address, &own, &error);
    assert_int_equal(error.status, status);
    assert_int_equal(strstr(error.text, "worker address") != NULL, status != TC_OK);
    return status;
}

/* The sample with other bytes at an offset. */
static tc_status check_with(size_t at, const void *bytes, size_t size)
{
    uint8_t changed[SAMPLE_BYTES];
    memcpy(changed, sample, SAMPLE_BYTES);
    memcpy(changed + at, bytes, size);
    return check(changed, sizeof changed, PID);
}

TEST(what_ucx_writes_passes)
{
    assert_ok(check(sample, SAMPLE_BYTES, PID));
}

TEST(numbers_that_differ_from_worker_to_worker_may)
{
    assert_ok(check_with(1, "\1\2\3\4\5\6\7\10", 8));
    assert_ok(check_with(SELF_LENGTH_AT + 1, "\1\2\3\4\5\6\7\10", 8));
    assert_ok(check_with(HOST_AT, "\1\2\3\4\5\6\7\10", 8));
}

TEST(its_size_is_what_it_says)
{
    uint8_t longer[SAMPLE_BYTES + 1] = {0};
    memcpy(longer, sample, SAMPLE_BYTES);
    assert_status(check(longer, sizeof longer, PID), TC_E_CORRUPT);
    for (size_t size = 0; size < SAMPLE_BYTES; size++) {
        uint8_t *cut = malloc(size > 0 ? size : 1); /* so that a read behind it shows */
        memcpy(cut, sample, size);
        assert_status(check(cut, size, PID), TC_E_CORRUPT);
        free(cut);
    }
}

TEST(another_version_is_refused)
{
    assert_status(check_with(VERSION_AT, "\x21", 1), TC_E_CORRUPT);
}

TEST(another_length_of_an_address_is_refused)
{
    assert_status(check_with(SELF_LENGTH_AT, "\x87", 1), TC_E_CORRUPT);
    assert_status(check_with(SELF_LENGTH_AT, "\x08", 1), TC_E_CORRUPT); /* not the last */
    assert_status(check_with(SELF_LENGTH_AT, "\xc8", 1), TC_E_CORRUPT); /* an endpoint's */
}

TEST(costs_are_numbers)
{
    static const float wrong[] = {-1, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_status(check_with(SELF_COST_AT, &wrong[i], sizeof wrong[i]), TC_E_CORRUPT);
        assert_status(check_with(SELF_COST_AT + 8, &wrong[i], sizeof wrong[i]), TC_E_CORRUPT);
    }
    assert_status(check_with(SELF_COST_AT, "\xff\xff\xff\x7f", 4), TC_E_CORRUPT); /* NaN */
    assert_ok(check_with(SELF_COST_AT + 4, &wrong[0], sizeof wrong[0]));
    assert_status(check_with(SELF_COST_AT + 4, "\0\0\0", 4), TC_E_CORRUPT);
}

TEST(posix_names_a_file_of_the_peers_own)
{
    assert_status(check(sample, SAMPLE_BYTES, PID + 1), TC_E_CORRUPT);
    assert_status(check_with(POSIX_AT + 7, "\x40", 1), TC_E_CORRUPT); /* by name */
    assert_status(check_with(POSIX_AT + 7, "\xd0", 1), TC_E_CORRUPT); /* no namespace there */
    assert_ok(check_with(POSIX_AT + 4, "\x03", 1));                   /* another file */
}

/* Its process and file may well be here too, but they are others. */
TEST(in_another_namespace_nothing_is_looked_up)
{
    uint8_t inside[SAMPLE_BYTES + sizeof(uint64_t)] = {0};
    const tci_ucx_address address = {inside, sizeof inside, PID};
    memcpy(inside, sample, SAMPLE_BYTES);
    inside[POSIX_AT - 1] = 0x90;
    inside[POSIX_AT + 7] = 0xd0;
    assert_ok(tci_ucx_address_check(&address, &own, NULL));
    assert_ok(tci_ucx_address_check(&address, &address, NULL));
    assert_ok(tci_ucx_address_check(&own, &address, NULL));
}

/* UCX maps as much as its own queue takes. */
TEST(the_file_has_the_size_of_an_own_one)
{
    uint8_t large[SAMPLE_BYTES], small[SAMPLE_BYTES];
    FILE *files[2] = {tmpfile(), tmpfile()};
    uint8_t *texts[2] = {large, small};
    assert_int_equal(ftruncate(fileno(files[0]), 16384), 0);
    assert_int_equal(ftruncate(fileno(files[1]), 8192), 0);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t id = UINT64_C(3) << 62 | (uint64_t)fileno(files[i]) << 30 | (uint64_t)getpid();
        memcpy(texts[i], sample, SAMPLE_BYTES);
        memcpy(texts[i] + POSIX_AT, &id, sizeof id);
    }
    const tci_ucx_address as_large = {large, sizeof large, getpid()};
    const tci_ucx_address as_small = {small, sizeof small, getpid()};
    assert_ok(tci_ucx_address_check(&as_large, &as_large, NULL));
    assert_ok(tci_ucx_address_check(&as_large, &as_small, NULL));
    assert_status(tci_ucx_address_check(&as_small, &as_large, NULL), TC_E_CORRUPT);
    (void)fclose(files[0]);
    (void)fclose(files[1]);
}

/* For files that can be opened, at this offset. */
TEST(the_domains_of_posix_are_those_within_reach)
{
    uint8_t here[SAMPLE_BYTES], elsewhere[SAMPLE_BYTES];
    FILE *file = tmpfile();
    uint64_t id = UINT64_C(3) << 62 | (uint64_t)fileno(file) << 30 | (uint64_t)getpid();
    memcpy(here, sample, SAMPLE_BYTES);
    memcpy(here + POSIX_AT, &id, sizeof id);
    memcpy(elsewhere, here, SAMPLE_BYTES);
    elsewhere[HOST_AT]++;
    const tci_ucx_address one = {here, sizeof here, getpid()};
    const tci_ucx_address far = {elsewhere, sizeof elsewhere, getpid()};
    assert_int_equal(tci_ucx_address_posix(&one, &one), 2);
    assert_int_equal(tci_ucx_address_posix(&far, &one), 0);
    (void)fclose(file);
    assert_int_equal(tci_ucx_address_posix(&one, &one), 0);
}

TEST(a_transport_that_is_not_here_is_passed_over)
{
    assert_ok(check_with(SELF_COST_AT - 2, "\1\2", 2));
}

/* Another UCX may write another layout. */
TEST(where_the_own_one_is_not_understood_nothing_is_checked)
{
    const tci_ucx_address unknown = {"\2something else", 15, PID};
    const tci_ucx_address any = {"any", 3, PID};
    assert_ok(tci_ucx_address_check(&any, &unknown, NULL));
}
