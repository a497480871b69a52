/* Reports of rounds that were not measured: near and far ones apart, and busy ones. */
#include "../../benchmarks/series_report.h"

#include "../../benchmarks/perf_report.h"
#include "../support/test.h"

#include <stdlib.h>

#define ROUNDS 6u

/* A rate that is a thousand when near, and a hundred when far. */
static double rates[ROUNDS];

static void report_payload(series_run *run)
{
    json_t *row = json_object();
    const perf_spread rate = series_report_spread(run, rates);
    perf_report_spread(row, "rate_per_s", rate, 1);
    (void)json_object_set_new(
        row, "shown",
        json_string(series_report_figure(run, INTERFERENCE_RATE, rate, rate.median, 1).text));
    (void)json_object_set_new(row, "quiet", json_boolean(series_report_is_quiet(run)));
    (void)json_array_append_new(run->rows, row);
    (void)json_object_set_new(run->ratios, "a_to_b", perf_report_number(rate.median));
}

static const series_kind kind = {
    .is_watched = true, .is_split = true, .report_payload = report_payload};

/* By the words around each round, and the share of it for which the processes waited. */
static json_t *report_of(const double *words, const double *shares)
{
    char quiet[] = "-";
    double buffer[ROUNDS];
    series_run run = {.kind = &kind, .buffer = buffer};
    json_t *report = json_object();
    run.options.json_path = quiet;
    run.rows = json_array();
    run.ratios = json_object();
    run.placements = json_object();
    assert_true(series_watch_allocate(&run.watch, ROUNDS));
    for (unsigned i = 0; i < ROUNDS; i++) {
        run.watch.placements[i] = placement_of_round(words[i], words[i + 1]);
        run.watch.shares[i] = shares[i];
        rates[i] = run.watch.placements[i] == PLACEMENT_NEAR ? 1000 : 100;
    }
    series_report_point(&run);
    series_report_machine(&run, report);
    (void)json_object_set_new(report, "rows", run.rows);
    (void)json_object_set_new(report, "ratios", run.ratios);
    json_decref(run.placements);
    series_watch_free(&run.watch);
    return report;
}

static const json_t *first_row(const json_t *of)
{
    return json_array_get(json_object_get(of, "rows"), 0);
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static double rate_of(const json_t *of)
{
    return json_real_value(json_object_get(first_row(of), "rate_per_s"));
}

static long long rounds_of(const json_t *of)
{
    return json_integer_value(json_object_get(first_row(of), "rounds"));
}

static const double quiet_shares[ROUNDS] = {0};

TEST(one_placement_is_stated)
{
    static const double words[] = {50, 51, 50, 52, 50, 49, 50};
    json_t *report = report_of(words, quiet_shares);
    assert_string_equal(text_of(report, "placement"), "near");
    assert_null(json_object_get(report, "placements"));
    assert_string_equal(text_of(first_row(report), "placement"), "near");
    assert_string_equal(text_of(first_row(report), "shown"), "1000.0");
    assert_true(json_is_false(json_object_get(report, "busy")));
    assert_null(json_object_get(first_row(report), "busy"));
    json_decref(report);
}

/* Two near rounds, one in which the processors moved, and three far ones. */
TEST(near_and_far_rounds_are_reported_apart)
{
    static const double words[] = {50, 51, 50, 230, 231, 230, 229};
    json_t *report = report_of(words, quiet_shares);
    const json_t *parts = json_object_get(report, "placements");
    const json_t *near = json_object_get(parts, "near"), *far = json_object_get(parts, "far");
    assert_string_equal(text_of(report, "placement"), "mixed");
    assert_int_equal(rounds_of(report), 6);
    assert_int_equal(rounds_of(near), 2);
    assert_int_equal(rounds_of(far), 3);
    assert_true(rate_of(near) == 1000 && rate_of(far) == 100);
    assert_true(json_real_value(json_object_get(json_object_get(near, "ratios"), "a_to_b")) ==
                1000);
    assert_int_equal(json_integer_value(
                         json_object_get(json_object_get(report, "placement_rounds"), "mixed")),
                     1);
    json_decref(report);
}

TEST(a_busy_machine_has_no_rates)
{
    static const double words[] = {50, 51, 50, 52, 50, 49, 50};
    static const double shares[] = {0.1, 0.01, 0.12, 0.2, 0.09, 0.3};
    json_t *report = report_of(words, shares);
    assert_true(json_is_true(json_object_get(report, "busy")));
    assert_non_null(strstr(text_of(report, "busy_reason"), "waited for a processor for 11%"));
    assert_string_equal(text_of(first_row(report), "shown"), "busy");
    assert_true(json_is_true(json_object_get(first_row(report), "busy")));
    assert_true(rate_of(report) == 1000); /* as ever */
    json_decref(report);
}

/* In most rounds there was a processor for each. */
TEST(a_few_busy_rounds_do_not_matter)
{
    static const double words[] = {50, 51, 50, 52, 50, 49, 50};
    static const double shares[] = {0.5, 0.01, 0.01, 0.02, 0.03, 0.6};
    json_t *report = report_of(words, shares);
    assert_true(json_is_false(json_object_get(report, "busy")));
    assert_string_equal(text_of(first_row(report), "shown"), "1000.0");
    json_decref(report);
}

TEST(what_a_busy_machine_spoils)
{
    const perf_spread narrow = {100, 110, 120}, wide = {10, 110, 172};
    for (unsigned figure = INTERFERENCE_MEDIAN; figure <= INTERFERENCE_RATE; figure++) {
        assert_false(interference_spoils(INTERFERENCE_NONE, figure, wide, 20));
        assert_true(interference_spoils(INTERFERENCE_MUCH, figure, narrow, 20));
        assert_int_equal(interference_spoils(INTERFERENCE_SOME, figure, narrow, 20),
                         figure != INTERFERENCE_MEDIAN);
        assert_true(interference_spoils(INTERFERENCE_SOME, figure, wide, 20));
    }
    assert_false(interference_spoils(INTERFERENCE_SOME, INTERFERENCE_MEDIAN, wide, 3));
}

TEST(the_median_of_shares_decides)
{
    double none[] = {0.01, 0.9, 0.02}, some[] = {0.11, 0.11, 0.9}, much[] = {0.6, 0.56, 0};
    assert_int_equal(interference_of(none, 3), INTERFERENCE_NONE);
    assert_int_equal(interference_of(some, 3), INTERFERENCE_SOME);
    assert_int_equal(interference_of(much, 3), INTERFERENCE_MUCH);
    assert_int_equal(interference_of(much, 0), INTERFERENCE_NONE);
}
