#include "modules/ucx/ucx_rkey.h"

#include "../../support/test.h"

#include <endian.h>
#include <stdio.h>
#include <unistd.h>

#define DOMAINS_AT 0
#define KIND_AT 8
#define SELF_AT 9 /* its length */
#define POSIX_AT 10
#define FILE_AT 11
#define ADDRESS_AT 19
#define LENGTH_AT 27
#define KEY_BYTES 35u

#define ADDRESS 0x7f6fc0fff000u
#define FILE_BYTES 10240u
#define PAGES_BYTES 12288u
#define FLAGS (UINT64_C(3) << 62)

static FILE *file;

typedef struct sample_key {
    uint8_t bytes[KEY_BYTES];
} sample_key;

static void put(sample_key *key, size_t at, uint64_t value)
{
    value = htole64(value);
    memcpy(key->bytes + at, &value, sizeof value);
}

/* UCX 1.13's key for self and posix, of a file that this process has open. */
static sample_key sample(void)
{
    sample_key key = {.bytes[DOMAINS_AT] = 3, .bytes[POSIX_AT] = 24};
    put(&key, FILE_AT, FLAGS | (uint64_t)fileno(file) << 30 | (uint64_t)getpid());
    put(&key, ADDRESS_AT, ADDRESS);
    put(&key, LENGTH_AT, PAGES_BYTES);
    return key;
}

static tci_ucx_rkey view(const void *bytes, size_t size)
{
    return (tci_ucx_rkey){
        .bytes = bytes, .size = size, .address = ADDRESS, .pid = getpid(), .posix_domains = 2};
}

static tc_status check_view(const tci_ucx_rkey *key, size_t bytes)
{
    const sample_key own_key = sample();
    const tci_ucx_rkey own = view(&own_key, KEY_BYTES);
    tc_error error = {0};
    tc_status status = tci_ucx_rkey_check(key, bytes, &own, &error);
    assert_int_equal(error.status, status);
    assert_int_equal(error.text[0] != '\0', status != TC_OK);
    return status;
}

static tc_status check(const sample_key *key)
{
    const tci_ucx_rkey whole = view(key, KEY_BYTES);
    return check_view(&whole, FILE_BYTES);
}

/* The sample with another byte at an offset. */
static tc_status check_with(size_t at, uint8_t byte)
{
    sample_key key = sample();
    key.bytes[at] = byte;
    return check(&key);
}

static tc_status check_with_number(size_t at, uint64_t value)
{
    sample_key key = sample();
    put(&key, at, value);
    return check(&key);
}

TEST(what_ucx_writes_passes)
{
    const sample_key key = sample();
    assert_ok(check(&key));
}

TEST(its_size_is_what_it_says)
{
    const sample_key key = sample();
    uint8_t longer[KEY_BYTES + 1] = {0};
    memcpy(longer, &key, KEY_BYTES);
    tci_ucx_rkey one = view(longer, sizeof longer);
    assert_status(check_view(&one, FILE_BYTES), TC_E_CORRUPT);
    for (size_t size = 0; size < KEY_BYTES; size++) {
        uint8_t *cut = malloc(size > 0 ? size : 1); /* so that a read behind it shows */
        memcpy(cut, &key, size);
        one = view(cut, size);
        assert_status(check_view(&one, FILE_BYTES), TC_E_CORRUPT);
        free(cut);
    }
    assert_status(check_with(SELF_AT, 1), TC_E_CORRUPT);
    assert_status(check_with(POSIX_AT, 23), TC_E_CORRUPT);
    assert_status(check_with(DOMAINS_AT, 7), TC_E_CORRUPT);
}

TEST(another_kind_of_memory_is_refused)
{
    assert_status(check_with(KIND_AT, 1), TC_E_CORRUPT);
}

TEST(the_memory_begins_where_the_peer_says)
{
    assert_status(check_with_number(ADDRESS_AT, ADDRESS + 64), TC_E_CORRUPT);
    assert_status(check_with_number(ADDRESS_AT, 0), TC_E_CORRUPT);
}

TEST(the_file_is_the_peers_own)
{
    const uint64_t number = (uint64_t)fileno(file) << 30;
    const uint64_t pid = (uint64_t)getpid();
    assert_status(check_with_number(FILE_AT, FLAGS | number | (pid + 1)), TC_E_CORRUPT);
    assert_status(check_with_number(FILE_AT, UINT64_C(1) << 62 | number | pid), TC_E_CORRUPT);
    assert_status(check_with_number(FILE_AT, FLAGS | UINT64_C(1) << 60 | number | pid),
                  TC_E_CORRUPT); /* no namespace there */
    assert_status(check_with_number(FILE_AT, FLAGS | UINT64_C(1) << 61 | number | pid),
                  TC_E_CORRUPT); /* large pages */
    assert_status(check_with_number(FILE_AT, FLAGS | UINT64_C(1000000) << 30 | pid),
                  TC_E_PEER_LOST);
}

TEST(all_of_the_memory_is_in_the_file)
{
    const sample_key key = sample();
    const tci_ucx_rkey whole = view(&key, KEY_BYTES);
    assert_ok(check_view(&whole, 1));
    assert_status(check_view(&whole, FILE_BYTES + 1), TC_E_CORRUPT);
    assert_status(check_view(&whole, SIZE_MAX), TC_E_CORRUPT);
    assert_ok(check_with_number(LENGTH_AT, FILE_BYTES));
    assert_status(check_with_number(LENGTH_AT, FILE_BYTES - 1), TC_E_CORRUPT);
    assert_status(check_with_number(LENGTH_AT, UINT64_MAX), TC_E_CORRUPT);
    assert_status(check_with_number(LENGTH_AT, FILE_BYTES + (uint64_t)getpagesize()),
                  TC_E_CORRUPT);
}

TEST(what_is_no_file_holds_nothing)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_status(
        check_with_number(FILE_AT, FLAGS | (uint64_t)ends[1] << 30 | (uint64_t)getpid()),
        TC_E_CORRUPT);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* Then UCX does not look at them. */
TEST(domains_out_of_reach_are_passed_over)
{
    sample_key key = sample();
    tci_ucx_rkey far = view(&key, KEY_BYTES);
    put(&key, FILE_AT, 0);
    assert_status(check(&key), TC_E_CORRUPT);
    far.posix_domains = 0;
    assert_ok(check_view(&far, FILE_BYTES));
}

TEST(two_files_are_too_many)
{
    const sample_key key = sample();
    uint8_t both[KEY_BYTES + 25];
    memcpy(both, &key, KEY_BYTES);
    memcpy(both + KEY_BYTES, key.bytes + POSIX_AT, 25);
    both[DOMAINS_AT] = 7;
    tci_ucx_rkey twice = view(both, sizeof both);
    assert_ok(check_view(&twice, FILE_BYTES));
    twice.posix_domains = 6;
    assert_status(check_view(&twice, FILE_BYTES), TC_E_CORRUPT);
}

/* Another UCX may write another layout. */
TEST(where_the_own_one_is_not_understood_nothing_is_checked)
{
    const sample_key key = sample();
    const tci_ucx_rkey any = view("any", 3), unknown = view("something else", 14);
    tci_ucx_rkey elsewhere = view(&key, KEY_BYTES);
    assert_ok(tci_ucx_rkey_check(&any, 1, &unknown, NULL));
    elsewhere.address++;
    assert_ok(tci_ucx_rkey_check(&any, 1, &elsewhere, NULL));
}

static int make_file(void **state)
{
    file = tmpfile();
    return file != NULL ? ftruncate(fileno(file), FILE_BYTES) : -1;
}

static int remove_file(void **state)
{
    return fclose(file);
}

int main(void)
{
    return test_run(make_file, remove_file);
}
