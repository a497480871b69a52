/* A program's headers and the library that it runs with: which pairs are let in. */

#include "../support/test.h"

#include <tc/context.h>

TEST(the_version_is_the_same_in_all_its_forms)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%u.%u.%u", TC_VERSION_NUMBER >> 16,
                   TC_VERSION_NUMBER >> 8 & 255u, TC_VERSION_NUMBER & 255u);
    assert_string_equal(text, TC_VERSION_STRING);
}

TEST(headers_of_this_version_and_before_are_let_in)
{
    const unsigned versions[] = {TC_VERSION_NUMBER, TC_VERSION_NUMBER - 1, 0};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        tc_context *ctx;
        tc_error err;
        if (tc_context_create_for(versions[i], NULL, &ctx, &err) != TC_OK)
            fail_msg("headers %x: %s", versions[i], err.text);
        tc_context_destroy(ctx);
    }
}

TEST(newer_headers_are_refused_with_both_versions)
{
    tc_error err;
    tc_context *ctx = NULL;
    assert_status(tc_context_create_for(0x7b2d43, NULL, &ctx, &err), TC_E_VERSION);
    assert_null(ctx);
    assert_status(err.status, TC_E_VERSION);
    assert_non_null(strstr(err.text, "123.45.67"));
    assert_non_null(strstr(err.text, TC_VERSION_STRING));
    assert_status(tc_context_create_for(TC_VERSION_NUMBER + 1, NULL, &ctx, NULL), TC_E_VERSION);
}
