/* Code binds to a symbol of a library that travels if both state prototypes that agree, or one
 * of them states none. Versions of the library: 1 has an area of doubles, 2 of floats, and 3
 * states nothing. */
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <math.h>
#include <tc/call.h>

#define SHAPES(version) "shapes" #version "/shapes"

static const char of_doubles[] = "measure: symbol area is used as '(f64,f64)->f64', and "
                                 "tc:shapes has it as '(f32,f32)->f64'",
                  of_floats[] = "measure: symbol area is used as '(f32,f32)->f64', and "
                                "tc:shapes has it as '(f64,f64)->f64'";

static tc_error error;

static tc_status measure(pair *p, const char *name, double *found)
{
    size_t size = sizeof *found;
    tc_ifunc *fn = pair_ifunc(p, name);
    *found = 0;
    tc_status status = tc_call(p->ep, fn, NULL, 0, found, &size, PAIR_TIMEOUT_NS, &error);
    tc_ifunc_close(fn);
    return status;
}

static void expect_found(pair *p, const char *name, double expected)
{
    double found = 0;
    if (measure(p, name, &found) != TC_OK)
        fail_msg("%s: %s", name, error.text);
    if (fabs(found - expected) > 1e-9)
        fail_msg("%s: found %g, expected %g", name, found, expected);
}

static void expect_refused(pair *p, const char *name, const char *text)
{
    double found = 0;
    assert_status(measure(p, name, &found), TC_E_VERSION);
    if (strstr(error.text, text) == NULL)
        fail_msg("%s: '%s' lacks '%s'", name, error.text, text);
}

PAIR_TEST(a_prototype_that_agrees_is_bound)
{
    shipped_library_push(p->ep, SHAPES(1));
    expect_found(p, "measure_doubles", 6);
    expect_found(p, "measure_plain", 6); /* states none */
    expect_refused(p, "measure_floats", of_floats);
    expect_found(p, "measure_doubles", 6);
}

PAIR_TEST(a_library_that_states_none_is_bound)
{
    shipped_library_push(p->ep, SHAPES(3));
    expect_found(p, "measure_doubles", 6);
    expect_found(p, "measure_plain", 6);
}

PAIR_TEST(a_weak_reference_of_another_prototype_stays_open)
{
    shipped_library_push(p->ep, SHAPES(2));
    expect_found(p, "measure_weak", -1);
    shipped_library_push(p->ep, SHAPES(1));
    expect_found(p, "measure_weak", 6);
}

PAIR_TEST(a_newer_library_with_another_prototype_is_not_bound)
{
    shipped_library_push(p->ep, SHAPES(1));
    expect_found(p, "measure_doubles", 6);
    expect_refused(p, "measure_floats", of_floats);
    shipped_library_push(p->ep, SHAPES(2));
    expect_refused(p, "measure_doubles", of_doubles);
    expect_found(p, "measure_floats", 6);
    shipped_library_push(p->ep, SHAPES(1)); /* and back */
    expect_found(p, "measure_doubles", 6);
    expect_refused(p, "measure_floats", of_floats);
}

PAIR_TEST(libraries_use_libraries_likewise)
{
    shipped_library_push(p->ep, SHAPES(2));
    assert_status(shipped_library_try_push(p->ep, "room", PAIR_TIMEOUT_NS, &error),
                  TC_E_VERSION);
    assert_non_null(strstr(error.text, "room: symbol area is used as '(f64,f64)->f64'"));
    shipped_library_push(p->ep, SHAPES(1));
    shipped_library_push(p->ep, "room");
}

PAIR_TEST(programs_look_up_the_name)
{
    tc_context *ctx = p->target;
    shipped_library_push(p->ep, SHAPES(1));
    pair_pause(p);
    void *area = tc_library_symbol(ctx, "shapes", "area");
    assert_non_null(area);
    assert_ptr_equal(tc_library_symbol(ctx, "shapes", "area(f64,f64)->f64"), area);
    assert_null(tc_library_symbol(ctx, "shapes", "area(f32,f32)->f64"));
    assert_null(tc_library_symbol(ctx, "shapes", "are"));
    assert_null(tc_library_symbol(ctx, "shapes", "area("));
    assert_non_null(tc_library_symbol(ctx, "shapes", "shapes_version"));
    pair_resume(p);
}
