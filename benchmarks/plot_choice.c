#include "plot_choice.h"

#include <stdbool.h>
#include <string.h>

#define BINARY_X "set logscale x 2; set format x '%.0b %B'\n"
#define LOG_Y "set logscale y 10; set format y '%g'\n"
#define COUNT_X "set logscale x 2; set format x '%g'\n"

static const plot_chart sweep_chart = {
    NULL,
    {{LINES,
      {"payload_bytes"},
      "payload (bytes)",
      {"mode", "delivery"},
      {{"latency_ns_p50", ""}},
      1e-3,
      "half round trip, p50 (microseconds)",
      BINARY_X LOG_Y},
     {LINES,
      {"payload_bytes"},
      "payload (bytes)",
      {"mode", "delivery"},
      {{"rate_per_s", ""}},
      1e-6,
      "rate (million messages/s)",
      BINARY_X LOG_Y}},
};

static const plot_chart payload_chart = {
    NULL,
    {{BARS,
      {"mode", "delivery"},
      "mode and delivery",
      {NULL},
      {{"latency_ns_p50", "p50"}, {"latency_ns_p99", "p99"}},
      1e-3,
      "half round trip (microseconds)",
      LOG_Y},
     {BARS,
      {"mode", "delivery"},
      "mode and delivery",
      {NULL},
      {{"rate_per_s", ""}},
      1e-6,
      "rate (million messages/s)",
      LOG_Y}},
};

static const plot_chart bandwidth_chart = {
    "Bandwidth of large payloads",
    {{LINES,
      {"payload_bytes"},
      "payload (bytes)",
      {"mode", "delivery"},
      {{"mb_per_s", ""}},
      1,
      "bandwidth (MB/s)",
      BINARY_X LOG_Y}},
};

static const plot_chart first_call_chart = {
    "First calls",
    {{BARS,
      {"stage"},
      "stage",
      {"function", "path"},
      {{"us_p50", ""}},
      1,
      "time, p50 (microseconds)",
      LOG_Y "set xtics rotate by 30 right\n"}},
};

static const plot_chart senders_chart = {
    "Several senders, one target",
    {{LINES,
      {"senders"},
      "senders",
      {"mode", "delivery"},
      {{"rate_per_s", ""}},
      1e-6,
      "total rate (million messages/s)",
      "set yrange [0:*]; set xrange [0:*]\n"}},
};

static const plot_chart wait_chart = {
    "Waiting",
    {{BARS,
      {"policy"},
      "policy",
      {NULL},
      {{"idle_cpu_pct", ""}},
      1,
      "processor time when idle (%)",
      LOG_Y},
     {BARS,
      {"policy"},
      "policy",
      {NULL},
      {{"wakeup_us_p50", "p50"}, {"wakeup_us_p99", "p99"}},
      1,
      "wake-up (microseconds)",
      LOG_Y},
     {BARS,
      {"processes"},
      "processes, in pairs",
      {"policy"},
      {{"rate_per_s", ""}},
      1e-6,
      "total rate (million messages/s)",
      LOG_Y}},
};

static const plot_chart integrity_chart = {
    "Integrity",
    {{BARS,
      {"delivery"},
      "delivery",
      {NULL},
      {{"seconds", ""}},
      1,
      "time for all messages (s)",
      "set yrange [0:*]\n"}},
};

static const plot_chart flood_chart = {
    "A source that is too fast",
    {{BARS,
      {"delivery"},
      "delivery",
      {NULL},
      {{"rate_per_s", ""}},
      1e-6,
      "rate (million messages/s)",
      "set yrange [0:*]\n"}},
};

/* The paper's Figures 5 to 8, 9 to 12, and one of its own; policies of waiting are named where
 * there are several. */
#define CHASE(key, label, ...)                                                                 \
    {                                                                                          \
        NULL,                                                                                  \
        {                                                                                      \
            {                                                                                  \
                LINES, {key}, label, {__VA_ARGS__}, {{"chases_per_s", ""}}, 1,                 \
                    "pointer chases per second", COUNT_X LOG_Y                                 \
            }                                                                                  \
        }                                                                                      \
    }

static const plot_chart depth_charts[] = {CHASE("depth", "depth", "mode"),
                                          CHASE("depth", "depth", "mode", "wait")};
static const plot_chart servers_charts[] = {CHASE("servers", "servers", "mode"),
                                            CHASE("servers", "servers", "mode", "wait")};
static const plot_chart inflight_charts[] = {
    CHASE("inflight", "chases at once", "mode"),
    CHASE("inflight", "chases at once", "mode", "wait")};

/* Of a member that all rows have. */
static bool has_several(const json_t *rows, const char *key)
{
    size_t index;
    const json_t *row;
    const json_t *first = json_object_get(json_array_get(rows, 0), key);
    json_array_foreach(rows, index, row)
    {
        if (!json_equal(first, json_object_get(row, key)))
            return true;
    }
    return false;
}

static bool has_several_payloads(const json_t *rows)
{
    size_t index;
    const json_t *row;
    json_int_t first = 0;
    json_array_foreach(rows, index, row)
    {
        const char *mode = json_string_value(json_object_get(row, "mode"));
        json_int_t payload = json_integer_value(json_object_get(row, "payload_bytes"));
        if (mode == NULL || strcmp(mode, "bare") == 0) /* always one word */
            continue;
        if (first != 0 && payload != first)
            return true;
        first = payload;
    }
    return false;
}

/* Of the experiments that measure latency and rate by payload. */
static const char *title_of(const char *experiment)
{
    static const char *const titles[][2] = {{"tsi", "Target-Side Increment"},
                                            {"ssum", "Server-Side Sum"},
                                            {"iput", "Indirect Put"},
                                            {"dapc", "Distributed Adaptive Pointer Chasing"}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (strcmp(titles[i][0], experiment) == 0)
            return titles[i][1];
    }
    return NULL;
}

static const plot_chart *choose_chase(const json_t *rows)
{
    const plot_chart *charts = has_several(rows, "depth")      ? depth_charts
                               : has_several(rows, "inflight") ? inflight_charts
                                                               : servers_charts;
    return &charts[has_several(rows, "wait")];
}

const plot_chart *plot_choose(const json_t *report, const json_t *rows)
{
    const char *name = json_string_value(json_object_get(report, "experiment"));
    if (name == NULL)
        return NULL;
    if (strcmp(name, "wait") == 0)
        return &wait_chart;
    if (strcmp(name, "first-call") == 0)
        return &first_call_chart;
    if (strcmp(name, "bandwidth") == 0)
        return &bandwidth_chart;
    if (strcmp(name, "integrity") == 0)
        return &integrity_chart;
    if (strcmp(name, "flood") == 0)
        return &flood_chart;
    if (strcmp(name, "dapc") == 0)
        return choose_chase(rows);
    if (title_of(name) == NULL)
        return NULL;
    if (json_object_get(json_array_get(rows, 0), "senders") != NULL)
        return &senders_chart;
    return has_several_payloads(rows) ? &sweep_chart : &payload_chart;
}

const char *plot_title(const plot_chart *chosen, const json_t *report)
{
    const char *experiment = json_string_value(json_object_get(report, "experiment"));
    return chosen->title != NULL ? chosen->title : title_of(experiment);
}
