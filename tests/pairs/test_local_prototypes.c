/* A local function stands for one archive, which has the prototype: typed callers compare
 * theirs with that, and callers of another archive never reach the local function. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/entry.h>

static const char doubles[] = "(f64[])->f64", floats[] = "(f32[])->f64";
static int local_runs;
static tc_error error;

static void local_total(void *payload, size_t size, void *target_args)
{
    const double *values = payload;
    double sum = 0;
    (void)target_args;
    local_runs++;
    for (size_t i = 0; i < size / sizeof *values; i++)
        sum += values[i];
    (void)tc_reply(&sum, sizeof sum);
}

static tc_ifunc *opened(tc_context *ctx, const char *name)
{
    tc_ifunc *fn = NULL;
    must(tc_ifunc_open(ctx, name, &fn, &error), &error, name);
    return fn;
}

static void use_local(pair *p)
{
    pair_pause(p);
    local_runs = 0;
    tc_ifunc *fn = opened(p->target, "total_f64");
    must(tc_ifunc_use_local(fn, local_total, &error), &error, "total_f64");
    assert_string_equal(tc_ifunc_prototype(fn), doubles);
    assert_status(tc_ifunc_check_prototype(fn, floats, &error), TC_E_VERSION);
    pair_resume(p);
}

/* As typed callers do. */
static tc_status call(pair *p, tc_ifunc *fn, const char *prototype, const void *data,
                      size_t size, double *sum)
{
    size_t found = sizeof *sum;
    *sum = -1;
    tc_status status = tc_ifunc_check_prototype(fn, prototype, &error);
    return status != TC_OK
               ? status
               : tc_call(p->ep, fn, data, size, sum, &found, PAIR_TIMEOUT_NS, &error);
}

static int runs(pair *p)
{
    pair_flush(p->ep);
    pair_pause(p);
    const int found = local_runs;
    pair_resume(p);
    return found;
}

static void check_calls(pair *p)
{
    const double numbers[] = {100, 7};
    const float few[] = {1.5F, 2.5F};
    double sum;
    use_local(p);
    tc_ifunc *of_doubles = opened(p->source, "total_f64");
    tc_ifunc *of_floats = opened(p->source, "total_f32");
    must(call(p, of_doubles, doubles, numbers, sizeof numbers, &sum), &error, doubles);
    assert_true(sum == 107);
    assert_int_equal(runs(p), 1);
    /* The caller's types are others: no message leaves. */
    assert_status(call(p, of_doubles, floats, few, sizeof few, &sum), TC_E_VERSION);
    assert_non_null(strstr(error.text, doubles));
    assert_non_null(strstr(error.text, floats));
    assert_status(call(p, of_floats, doubles, numbers, sizeof numbers, &sum), TC_E_VERSION);
    assert_int_equal(runs(p), 1);
    /* The caller's archive is another: its own code runs. */
    must(call(p, of_floats, floats, few, sizeof few, &sum), &error, floats);
    assert_true(sum == 4);
    assert_int_equal(runs(p), 1);
    must(call(p, of_doubles, doubles, numbers, sizeof numbers, &sum), &error, doubles);
    assert_int_equal(runs(p), 2);
}

PAIR_TEST(the_local_function_has_the_prototype_of_its_archive)
{
    check_calls(p);
}

TEST(by_their_ids_alone)
{
    pair p;
    pair_open(&p, (const char *const[]){"code_push", "no", NULL});
    check_calls(&p); /* the target asks for the code that it lacks */
    pair_close(&p);
}
