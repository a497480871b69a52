/* The option `protect` beside keys: an impossible setting is refused before anything is
 * opened. */
#include "../support/test.h"

#include "bootstrap/credentials.h"

static tc_status load(const char *protect, const char *key_file, tc_error *err)
{
    tc_options *opts;
    tci_credentials which = {0};
    assert_ok(tc_options_create(&opts, NULL));
    assert_ok(tc_options_set(opts, "protect", protect, NULL));
    assert_ok(tc_options_set(opts, "key_file", key_file, NULL));
    tc_status status = tci_credentials_load(opts, &which, err);
    tci_credentials_fini(&which);
    tc_options_destroy(opts);
    return status;
}

TEST(what_no_library_offers_is_said)
{
    tc_error error = {0};
    assert_status(load("auth", "", &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "TLS_SHA256_SHA256"));
    assert_non_null(strstr(error.text, "expected seal"));
}

TEST(keys_and_clear_text_contradict_each_other)
{
    tc_error error = {0};
    assert_status(load("off", "/nowhere/a.key", &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "protect is off"));
    assert_non_null(strstr(error.text, "key_file is set"));
}

TEST(without_keys_there_is_nothing_to_refuse)
{
    assert_ok(load("off", "", NULL));
    assert_ok(load("seal", "", NULL));
}
