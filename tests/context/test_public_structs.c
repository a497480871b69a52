/* Programs that were compiled with the first fields of a public struct: bytes behind those are
 * neither read nor written. */

#include "../support/test.h"

#include <tc/cache.h>
#include <tc/group.h>
#include <tc/loader.h>
#include <tc/ucx.h>

/* The struct's size when `field` was its last. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

static tc_context *make_context(void)
{
    tc_context *ctx = NULL;
    tc_error err;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK)
        fail_msg("%s", err.text);
    return ctx;
}

/* A struct of its own allocation, filled with 0x5a, so that a sanitizer sees accesses
 * beyond. */
static unsigned char *make_filled(size_t size)
{
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 0x5a, size);
    return bytes;
}

static void assert_untouched(const unsigned char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        assert_int_equal(bytes[i], 0x5a);
}

TEST(version_query_fills_what_is_there)
{
    const size_t size = SIZE_UP_TO(tc_version_info, protocol);
    unsigned char *bytes = make_filled(sizeof(tc_version_info));
    tc_version_query_sized((tc_version_info *)(void *)bytes, size);
    const tc_version_info *info = (const tc_version_info *)(const void *)bytes;
    assert_string_equal(info->library, TC_VERSION_STRING);
    assert_int_equal(info->protocol, TC_PROTOCOL_VERSION);
    assert_untouched(bytes, size, sizeof(tc_version_info));
    free(bytes);
}

TEST(a_larger_struct_gets_zeros)
{
    const size_t size = sizeof(tc_version_info) + 24;
    unsigned char *bytes = make_filled(size);
    tc_version_query_sized((tc_version_info *)(void *)bytes, size);
    for (size_t i = sizeof(tc_version_info); i < size; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
}

TEST(cache_totals_fill_what_is_there)
{
    const size_t size = SIZE_UP_TO(tc_cache_totals, entries);
    unsigned char *bytes = make_filled(sizeof(tc_cache_totals));
    tc_cache_totals *totals = (tc_cache_totals *)(void *)bytes;
    assert_ok(tc_cache_list_sized(NULL, NULL, NULL, totals, size, NULL));
    assert_string_equal(totals->folder, "");
    assert_int_equal(totals->entries, 0);
    assert_untouched(bytes, size, sizeof(tc_cache_totals));
    memset(bytes, 0x5a, sizeof(tc_cache_totals));
    assert_ok(tc_cache_clear_sized(NULL, totals, size, NULL));
    assert_untouched(bytes, size, sizeof(tc_cache_totals));
    free(bytes);
}

static void a_group_of_one(tc_context *ctx, const tc_group_params *params, size_t params_size,
                           size_t member_size, tc_status expected)
{
    tc_group *group = NULL;
    tc_error err;
    tc_status status =
        tc_group_create_sized(ctx, params, params_size, member_size, &group, &err);
    if (status != expected)
        fail_msg("%s, expected %s", tc_status_name(status), tc_status_name(expected));
    if (status != TC_OK)
        return;
    tc_ep *ep;
    tc_ep_info info;
    memset(&info, 0x5a, sizeof info);
    assert_ok(tc_group_ep(group, 0, &ep, NULL));
    tc_ep_query_sized(ep, &info, SIZE_UP_TO(tc_ep_info, delivery));
    assert_non_null(info.delivery);
    assert_untouched((const unsigned char *)&info, SIZE_UP_TO(tc_ep_info, delivery),
                     sizeof info);
    tc_group_destroy(group);
}

/* Members of another size stand at other distances; this one's own address is not looked at. */
TEST(group_params_and_members_have_any_size)
{
    struct {
        tc_group_params params;
        uint64_t later;
    } newer = {{7, 0, 1, NULL}, 0};
    struct {
        tc_group_member member;
        uint64_t later;
    } member = {{NULL, 0}, 0};
    tc_context *ctx = make_context();
    newer.params.members = &member.member;
    a_group_of_one(ctx, &newer.params, sizeof newer.params, sizeof member.member, TC_OK);
    a_group_of_one(ctx, &newer.params, sizeof newer, sizeof member, TC_OK);
    newer.later = 1;
    a_group_of_one(ctx, &newer.params, sizeof newer, sizeof member, TC_E_UNSUPPORTED);
    newer.later = 0;
    member.later = 1;
    a_group_of_one(ctx, &newer.params, sizeof newer, sizeof member, TC_E_UNSUPPORTED);
    tc_context_destroy(ctx);
}

/* The strides of arrays: a second element is found behind a first of another size. */
TEST(symbols_have_any_size)
{
    const struct {
        tc_symbol symbol;
        uint64_t later;
    } symbols[2] = {{{"one", &state}, 0}, {{"two", &state}, 0}};
    tc_loader *loader;
    assert_ok(
        tc_loader_create_sized(NULL, &symbols[0].symbol, 2, sizeof symbols[0], &loader, NULL));
    tc_loader_destroy(loader);
}

TEST(bitcode_of_a_newer_program_is_refused_by_its_field)
{
    const struct {
        tc_bitcode bitcode;
        uint64_t later;
    } slice = {{"x86_64-linux", "", 0}, 1};
    tc_loader *loader;
    tc_ifunc *fn;
    assert_ok(tc_loader_create(NULL, NULL, 0, &loader, NULL));
    const tc_code code = {.name = "f", .slices = &slice.bitcode, .slice_count = 1};
    assert_status(
        tc_loader_open_code_sized(loader, &code, sizeof code, sizeof slice, &fn, NULL),
        TC_E_UNSUPPORTED);
    tc_loader_destroy(loader);
}

/* Without features of the application's no context is made: the field counts as 0. */
TEST(ucx_objects_lack_features)
{
    const tc_ucx_objects objects = {(ucp_context_h)(void *)&state, NULL, UCP_FEATURE_AM};
    tc_context *ctx;
    assert_status(tc_context_create_on_ucx_for(TC_VERSION_NUMBER, NULL, &objects,
                                               offsetof(tc_ucx_objects, features), &ctx, NULL),
                  TC_E_UNSUPPORTED);
}
