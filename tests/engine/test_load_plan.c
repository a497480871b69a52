/* The choice of a function's code, for every wish and every kind of archive. */
#include "engine/load_plan.h"
#include "image_maker.h"

#include "base/triple.h"
#include "../support/test.h"

#define OTHER_TRIPLE "sparc64-linux"
#define NONE 255u

static unsigned producer = 19; /* LLVM that wrote the bitcode */

/* Bitcode in slice 0 unless `triple` is NULL; then images of the levels up to NONE. */
static made_archive make(const char *triple, size_t bitcode_size, const unsigned *levels)
{
    made_archive made;
    tci_archive_writer *writer;
    void *image, *bitcode = calloc(1, bitcode_size);
    size_t size;
    const tci_image_source source = image_adding_one();
    tci_slice slice = {.form = TCI_FORM_BITCODE, .producer_major = (uint8_t)producer};
    assert_ok(tci_archive_writer_create("sample", TCI_ENTRY_MAIN, &writer, NULL));
    assert_ok(tci_image_write(&source, &image, &size, NULL));
    if (triple != NULL) {
        (void)snprintf(slice.triple, sizeof slice.triple, "%s", triple);
        assert_ok(tci_archive_writer_add(writer, &slice, bitcode, bitcode_size, NULL, 0, NULL));
    }
    slice.form = TCI_FORM_IMAGE;
    slice.producer_major = 0;
    (void)snprintf(slice.triple, sizeof slice.triple, "%s", tci_triple_host());
    for (; *levels != NONE; levels++) {
        slice.cpu_level = (uint8_t)*levels;
        assert_ok(tci_archive_writer_add(writer, &slice, image, size, NULL, 0, NULL));
    }
    assert_ok(tci_archive_writer_finish(writer, &made.bytes, &made.size, NULL));
    assert_ok(tci_archive_open(made.bytes, made.size, &made.archive, NULL));
    tci_archive_writer_destroy(writer);
    free(image);
    free(bitcode);
    return made;
}

#define LEVELS(...) ((const unsigned[]){__VA_ARGS__, NONE})
#define NO_LEVELS ((const unsigned[]){NONE})
#define SMALL 64u

/* Levels that have a name on every architecture are 0 and 2. */

static tc_status plan_for(const tci_load_policy *policy, const made_archive *made,
                          const char *deps, tci_load_plan *plan_out, tc_error *err)
{
    const tci_load_source source = {
        .archive = made->archive, .deps = deps, .deps_size = strlen(deps)};
    return tci_load_plan_make(policy, &source, plan_out, err);
}

/* "image 1", "stored 0", ...: the action, with its slice. */
static const char *text_of(const tci_load_plan *plan)
{
    static char text[32];
    static const char *const kinds[] = {"image", "stored", "compile"};
    (void)snprintf(text, sizeof text, "%s %zu", kinds[plan->kind], plan->slice);
    return text;
}

static void expect(const tci_load_policy *policy, const char *bitcode, const unsigned *levels,
                   const char *text)
{
    tci_load_plan plan;
    made_archive made = make(bitcode, SMALL, levels);
    tc_status status = plan_for(policy, &made, "", &plan, NULL);
    assert_string_equal(status == TC_OK ? text_of(&plan) : tc_status_name(status), text);
    free_made(&made);
}

static tci_load_policy usual(void)
{
    return (tci_load_policy){
        .cpu_level = 2, .has_compiler = true, .llvm_major = 19, .has_cache = true};
}

/* Bitcode that LLVM here would refuse is not better than an image that runs. */
TEST(bitcode_of_a_newer_llvm_leaves_the_image)
{
    const char *host = tci_triple_host();
    tci_load_policy best = usual(), debuggable = usual();
    best.tier = TCI_TIER_BEST;
    debuggable.debuggable = true;
    expect(&best, host, LEVELS(0), "stored 0");
    expect(&debuggable, host, LEVELS(2), "stored 0");
    producer = 20;
    expect(&best, host, LEVELS(0), "image 1");
    expect(&debuggable, host, LEVELS(2), "image 1");
    expect(&best, host, NO_LEVELS, "stored 0"); /* refused later, with both versions named */
    producer = 19;
}

TEST(the_form_is_chosen)
{
    const char *host = tci_triple_host();
    tci_load_policy policy = usual();
    expect(&policy, host, LEVELS(0), "image 1");
    expect(&policy, host, LEVELS(0, 2), "image 2");
    expect(&policy, host, NO_LEVELS, "stored 0");
    /* Slices lie in the order of their triples. */
    expect(&policy, OTHER_TRIPLE, LEVELS(0),
           strcmp(OTHER_TRIPLE, host) < 0 ? "image 1" : "image 0");
    expect(&policy, OTHER_TRIPLE, NO_LEVELS, "TC_E_NO_SLICE");
    expect(&policy, NULL, LEVELS(3), "TC_E_NO_SLICE");
    policy.has_cache = false;
    expect(&policy, host, NO_LEVELS, "compile 0");
    policy.form = TCI_CHOICE_BITCODE;
    expect(&policy, host, LEVELS(0), "compile 0");
    expect(&policy, NULL, LEVELS(0), "TC_E_NO_SLICE");
    policy.form = TCI_CHOICE_IMAGE;
    expect(&policy, host, LEVELS(0), "image 1");
    expect(&policy, host, NO_LEVELS, "TC_E_NO_SLICE");
}

TEST(the_best_takes_bitcode_before_an_image_of_a_lower_level)
{
    const char *host = tci_triple_host();
    tci_load_policy policy = usual();
    policy.tier = TCI_TIER_BEST;
    expect(&policy, host, LEVELS(0), "stored 0");
    expect(&policy, host, LEVELS(0, 2), "image 2");
    expect(&policy, NULL, LEVELS(0), "image 0");
    policy.has_compiler = false;
    expect(&policy, host, LEVELS(0), "image 1");
}

TEST(debuggers_get_bitcode_where_there_is_some)
{
    const char *host = tci_triple_host();
    tci_load_policy policy = usual();
    policy.debuggable = true;
    expect(&policy, host, LEVELS(2), "stored 0");
    expect(&policy, NULL, LEVELS(2), "image 0");
    policy.form = TCI_CHOICE_IMAGE;
    expect(&policy, host, LEVELS(2), "image 1");
}

static tci_load_plan plan_of(const tci_load_policy *policy, const char *bitcode,
                             size_t bitcode_size, const unsigned *levels, const char *deps)
{
    tci_load_plan plan;
    made_archive made = make(bitcode, bitcode_size, levels);
    assert_ok(plan_for(policy, &made, deps, &plan, NULL));
    free_made(&made);
    return plan;
}

TEST(what_takes_microseconds_is_done_at_once)
{
    const char *host = tci_triple_host();
    tci_load_policy policy = usual();
    assert_true(plan_of(&policy, NULL, SMALL, LEVELS(0), "# none\n").at_once);
    assert_false(plan_of(&policy, NULL, SMALL, LEVELS(0), "libm.so.6\n").at_once);
    assert_true(plan_of(&policy, host, SMALL, NO_LEVELS, "").at_once);
    assert_false(plan_of(&policy, host, 1 << 20, NO_LEVELS, "").at_once);
    assert_false(plan_of(&policy, host, SMALL, NO_LEVELS, "libm.so.6").at_once);
    policy.has_cache = false;
    assert_false(plan_of(&policy, host, SMALL, NO_LEVELS, "").at_once);
}

TEST(each_tier_has_its_levels)
{
    const char *host = tci_triple_host();
    tci_load_policy policy = usual();
    tci_load_plan plan = plan_of(&policy, host, SMALL, NO_LEVELS, "");
    assert_int_equal(plan.level, TCI_LEVEL_BASELINE);
    assert_true(plan.takes_optimised);
    assert_true(plan.may_tier_up);
    assert_true(plan_of(&policy, host, SMALL, LEVELS(0), "").may_tier_up);
    assert_false(plan_of(&policy, host, SMALL, LEVELS(2), "").may_tier_up);
    assert_false(plan_of(&policy, NULL, SMALL, LEVELS(0), "").may_tier_up);
    policy.tier = TCI_TIER_FAST;
    plan = plan_of(&policy, host, SMALL, NO_LEVELS, "");
    assert_int_equal(plan.level, TCI_LEVEL_BASELINE);
    assert_false(plan.takes_optimised);
    assert_false(plan.may_tier_up);
    assert_false(plan_of(&policy, host, SMALL, LEVELS(0), "").may_tier_up);
    policy.tier = TCI_TIER_BEST;
    plan = plan_of(&policy, host, SMALL, NO_LEVELS, "");
    assert_int_equal(plan.level, TCI_LEVEL_OPTIMISED);
    assert_false(plan.takes_optimised);
    assert_false(plan.may_tier_up);
}

TEST(tiered_up_code_is_compiled_in_the_background)
{
    tci_load_plan plan;
    const tci_load_policy policy = usual();
    made_archive made = make(tci_triple_host(), SMALL, LEVELS(0));
    const tci_load_source source = {.archive = made.archive};
    assert_ok(tci_load_plan_tier_up(&policy, &source, false, &plan, NULL));
    assert_string_equal(text_of(&plan), "stored 0");
    assert_int_equal(plan.level, TCI_LEVEL_OPTIMISED);
    assert_true(plan.background);
    assert_false(plan.may_tier_up);
    assert_ok(tci_load_plan_tier_up(&policy, &source, true, &plan, NULL));
    assert_int_equal(plan.level, TCI_LEVEL_OPTIMISED_SHARED);
    free_made(&made);
}

TEST(a_refusal_names_function_and_level)
{
    tci_load_plan plan;
    tc_error err = {0};
    const tci_load_policy policy = usual();
    made_archive made = make(OTHER_TRIPLE, SMALL, NO_LEVELS);
    assert_status(plan_for(&policy, &made, "", &plan, &err), TC_E_NO_SLICE);
    assert_int_equal(strncmp(err.text, "sample: no image runs here (level ", 34), 0);
    assert_non_null(strstr(err.text, OTHER_TRIPLE));
    free_made(&made);
}
