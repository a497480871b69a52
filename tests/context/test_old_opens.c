/* The ways to open code of release 0.1 do what they did, and a tc_code is checked. */
#include "../support/test.h"

#include "context/old_opens.h"
#include "old_sources.h"

static tc_status ifunc_bitcode(tc_context *ctx, const char *name, const tc_bitcode *slices,
                               size_t count, const char *deps, size_t deps_size,
                               tc_ifunc **fn_out, tc_error *err)
{
    return tc_ifunc_open_bitcode_sized(ctx, name, slices, count, sizeof *slices, deps,
                                       deps_size, fn_out, err);
}

static tc_status loader_bitcode(tc_loader *loader, const char *name, const tc_bitcode *slices,
                                size_t count, const char *deps, size_t deps_size,
                                tc_ifunc **fn_out, tc_error *err)
{
    return tc_loader_open_bitcode_sized(loader, name, slices, count, sizeof *slices, deps,
                                        deps_size, fn_out, err);
}

static const old_opens exported = {
    .ifunc_file = tc_ifunc_open_file,
    .ifunc_memory = tc_ifunc_open_memory,
    .ifunc_signed = tc_ifunc_open_signed,
    .ifunc_bitcode = ifunc_bitcode,
    .library_file = tc_library_open_file,
    .library_memory = tc_library_open_memory,
    .loader_memory = tc_loader_open_memory,
    .loader_bitcode = loader_bitcode,
    .package_memory = tc_package_open_memory,
};

static const old_opens *const all[] = {&exported, &old_sources};
static const tc_bitcode slice = {"x86_64-linux", "no bitcode", 10};

static tc_context *create(void)
{
    tc_context *ctx;
    assert_ok(tc_context_create(NULL, &ctx, NULL));
    return ctx;
}

/* Opens a function by each source, as an archive that is made of bitcode. */
static void open_functions(const old_opens *old, tc_context *ctx)
{
    tc_ifunc *made, *fn;
    tc_library *library;
    size_t size, deps_size;
    assert_ok(old->ifunc_bitcode(ctx, "f", &slice, 1, "libm.so.6\n", 10, &made, NULL));
    const void *archive = tc_ifunc_archive(made, &size);
    const char *deps = tc_ifunc_deps(made, &deps_size);
    assert_ok(old->ifunc_memory(ctx, archive, size, deps, deps_size, &fn, NULL));
    assert_ptr_equal(fn, made);
    tc_ifunc_close(fn);
    assert_ok(old->ifunc_signed(ctx, archive, size, deps, deps_size, NULL, 0, &fn, NULL));
    assert_ptr_equal(fn, made);
    tc_ifunc_close(fn);
    assert_status(
        old->ifunc_signed(ctx, archive, size, deps, deps_size, "no signature", 12, &fn, NULL),
        TC_E_CORRUPT);
    assert_status(
        old->library_memory(ctx, archive, size, deps, deps_size, NULL, 0, &library, NULL),
        TC_E_INVALID);
    tc_ifunc_close(made);
}

static void programs_of_0_1_open_as_before(void **state)
{
    tc_ifunc *fn;
    tc_library *library;
    tc_package *package;
    tc_loader *loader;
    tc_context *ctx = create();
    (void)state;
    assert_ok(tc_loader_create(NULL, NULL, 0, &loader, NULL));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const old_opens *old = all[i];
        open_functions(old, ctx);
        assert_ok(old->loader_bitcode(loader, "f", &slice, 1, NULL, 0, &fn, NULL));
        tc_ifunc_close(fn);
        assert_status(old->ifunc_bitcode(ctx, "f", NULL, 0, NULL, 0, &fn, NULL), TC_E_INVALID);
        assert_status(old->loader_bitcode(loader, "f", NULL, 0, NULL, 0, &fn, NULL),
                      TC_E_INVALID);
        assert_status(old->ifunc_memory(ctx, NULL, 0, NULL, 0, &fn, NULL), TC_E_CORRUPT);
        assert_status(old->loader_memory(loader, NULL, 0, NULL, 0, &fn, NULL), TC_E_CORRUPT);
        assert_status(old->package_memory(ctx, NULL, 0, NULL, &package, NULL), TC_E_CORRUPT);
        assert_status(old->ifunc_file(ctx, "/nowhere/f.tca", &fn, NULL), TC_E_NOT_FOUND);
        assert_status(old->library_file(ctx, "/nowhere/l.tca", &library, NULL), TC_E_NOT_FOUND);
    }
    tc_loader_destroy(loader);
    tc_context_destroy(ctx);
}

static void a_code_has_one_source(void **state)
{
    const uint8_t id[TC_IFUNC_ID_BYTES] = {1};
    const struct {
        tc_code code;
        tc_status status;
    } cases[] = {
        {{0}, TC_E_INVALID},
        {{.name = "f", .path = "f.tca"}, TC_E_INVALID},
        {{.path = "f.tca", .bytes = "x", .size = 1}, TC_E_INVALID},
        {{.slices = &slice, .slice_count = 1}, TC_E_INVALID},
        {{.name = "f", .deps = "libm.so.6\n", .deps_size = 10}, TC_E_INVALID},
        {{.name = "f", .slices = &slice, .slice_count = 1, .signature = "s"}, TC_E_INVALID},
        {{.name = "f", .slices = &slice, .slice_count = 1, .id = id}, TC_E_VERSION},
        {{.name = "f", .slices = &slice, .slice_count = 1}, TC_OK},
    };
    tc_context *ctx = create();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_ifunc *fn = NULL;
        tc_error error = {TC_OK, ""};
        assert_int_equal(tc_ifunc_open_code(ctx, &cases[i].code, &fn, &error), cases[i].status);
        assert_int_equal(error.status, cases[i].status);
        tc_ifunc_close(fn);
    }
    tc_context_destroy(ctx);
}

static void a_package_is_a_file_or_bytes(void **state)
{
    const tc_code cases[] = {{0},
                             {.name = "shop"},
                             {.name = "shop", .slices = &slice, .slice_count = 1},
                             {.bytes = "x", .size = 1, .deps = "libm.so.6\n", .deps_size = 10}};
    tc_package *package;
    tc_context *ctx = create();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_status(tc_package_open_code(ctx, &cases[i], &package, NULL), TC_E_INVALID);
    tc_context_destroy(ctx);
}

static void a_newer_field_is_refused(void **state)
{
    struct {
        tc_code code;
        uint64_t newer;
    } given = {.code = {.name = "f"}, .newer = 1};
    tc_ifunc *fn;
    tc_context *ctx = create();
    (void)state;
    assert_status(
        tc_ifunc_open_code_sized(ctx, &given.code, sizeof given, sizeof slice, &fn, NULL),
        TC_E_UNSUPPORTED);
    tc_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_0_1_open_as_before),
        cmocka_unit_test(a_code_has_one_source),
        cmocka_unit_test(a_package_is_a_file_or_bytes),
        cmocka_unit_test(a_newer_field_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
