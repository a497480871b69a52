#include "plot_chart.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define NAME_MAX_BYTES 48u
#define X_MAX 64u
#define COLUMNS_MAX 24u
#define PANELS_MAX 3u
#define PANEL_HEIGHT 380u /* points, of a width of 900 */

typedef enum style { LINES, BARS } style;

typedef struct measure {
    const char *key;
    const char *name; /* in the legend, or empty */
} measure;

/* One pair of axes: a value per x and column. A column is a combination of the series' members
 * and a measure. */
typedef struct panel {
    style style;
    const char *x_keys[2]; /* the second may be missing */
    const char *x_label;
    const char *series_keys[2]; /* or NULL */
    measure measures[2];        /* the second may be missing */
    double scale;
    const char *y_label;
    const char *settings; /* of gnuplot */
} panel;

typedef struct chart {
    const char *title; /* NULL: the experiment's */
    panel panels[PANELS_MAX];
} chart;

typedef struct matrix {
    unsigned x_count;
    unsigned column_count;
    char xs[X_MAX][NAME_MAX_BYTES];
    char columns[COLUMNS_MAX][NAME_MAX_BYTES];
    double values[X_MAX][COLUMNS_MAX]; /* NAN: none */
} matrix;

#define BINARY_X "set logscale x 2; set format x '%.0b %B'\n"
#define LOG_Y "set logscale y 10; set format y '%g'\n"

static const chart sweep_chart = {
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

static const chart payload_chart = {
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

static const chart bandwidth_chart = {
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

static const chart first_call_chart = {
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

static const chart senders_chart = {
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

static const chart wait_chart = {
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

static const chart integrity_chart = {
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

static const chart flood_chart = {
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

static bool complain(const char *what)
{
    (void)fprintf(stderr, "tc-perf: plot: %s\n", what);
    return false;
}

/* Names are few and short; a sign that could mean something to gnuplot becomes a space. */
static void append_text(char *text, size_t size, const char *more)
{
    size_t at = strlen(text);
    for (; *more != '\0' && at + 1 < size; more++)
        text[at++] = isalnum((unsigned char)*more) || strchr("_.-+()/", *more) ? *more : ' ';
    text[at] = '\0';
}

static void append_member(char *text, size_t size, const json_t *row, const char *key)
{
    char number[32];
    const json_t *member = json_object_get(row, key);
    if (text[0] != '\0')
        append_text(text, size, " ");
    if (json_is_string(member)) {
        append_text(text, size, json_string_value(member));
    } else if (json_is_integer(member)) {
        (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(member));
        append_text(text, size, number);
    }
}

static void append_members(char *text, size_t size, const json_t *row,
                           const char *const keys[2])
{
    for (unsigned i = 0; i < 2 && keys[i] != NULL; i++)
        append_member(text, size, row, keys[i]);
}

/* The index of a name, which is added when it is new; `max` when there is no more room. */
static unsigned index_of(char names[][NAME_MAX_BYTES], unsigned *count, unsigned max,
                         const char *name)
{
    unsigned i = 0;
    while (i < *count && strcmp(names[i], name) != 0)
        i++;
    if (i == *count && i < max) {
        (void)snprintf(names[i], NAME_MAX_BYTES, "%s", name);
        ++*count;
    }
    return i;
}

static bool add_value(matrix *table, const panel *shown, const measure *what, const json_t *row)
{
    char x[NAME_MAX_BYTES] = "", column[NAME_MAX_BYTES] = "";
    const json_t *value = json_object_get(row, what->key);
    if (!json_is_number(value))
        return true;
    append_members(x, sizeof x, row, shown->x_keys);
    append_members(column, sizeof column, row, shown->series_keys);
    if (what->name[0] != '\0') {
        append_text(column, sizeof column, column[0] != '\0' ? " " : "");
        append_text(column, sizeof column, what->name);
    }
    unsigned line = index_of(table->xs, &table->x_count, X_MAX, x);
    unsigned at = index_of(table->columns, &table->column_count, COLUMNS_MAX, column);
    if (line == X_MAX || at == COLUMNS_MAX)
        return complain("more rows than a chart can show");
    table->values[line][at] = shown->scale * json_number_value(value);
    return true;
}

static bool fill_matrix(matrix *table, const panel *shown, const json_t *rows)
{
    size_t index;
    const json_t *row;
    table->x_count = table->column_count = 0;
    for (unsigned x = 0; x < X_MAX; x++) {
        for (unsigned column = 0; column < COLUMNS_MAX; column++)
            table->values[x][column] = NAN;
    }
    json_array_foreach(rows, index, row)
    {
        for (unsigned i = 0; i < 2 && shown->measures[i].key != NULL; i++) {
            if (!add_value(table, shown, &shown->measures[i], row))
                return false;
        }
    }
    return table->x_count > 0 || complain("the file holds no row to draw");
}

static void write_matrix(FILE *script, const matrix *table, unsigned number)
{
    (void)fprintf(script, "$data%u << END\nx", number);
    for (unsigned i = 0; i < table->column_count; i++)
        (void)fprintf(script, "\t\"%s\"", table->columns[i]);
    for (unsigned x = 0; x < table->x_count; x++) {
        (void)fprintf(script, "\n\"%s\"", table->xs[x]);
        for (unsigned i = 0; i < table->column_count; i++) {
            if (isfinite(table->values[x][i]))
                (void)fprintf(script, "\t%.9g", table->values[x][i]);
            else
                (void)fputs("\t?", script);
        }
    }
    (void)fputs("\nEND\n", script);
}

static void write_panel(FILE *script, const matrix *table, const panel *shown, unsigned number)
{
    write_matrix(script, table, number);
    (void)fprintf(script,
                  "unset logscale; set format '%%g'; set autoscale\n%s"
                  "set xlabel '%s'; set ylabel '%s'\n",
                  shown->settings, shown->x_label, shown->y_label);
    if (table->column_count == 1 && table->columns[0][0] == '\0')
        (void)fputs("unset key\n", script);
    else
        (void)fputs("set key outside right top noenhanced\n", script);
    if (shown->style == LINES)
        (void)fprintf(script,
                      "plot for [i=2:%u] $data%u using 1:i with linespoints linewidth 2 "
                      "title columnheader(i)\n",
                      table->column_count + 1, number);
    else
        (void)fprintf(script,
                      "set style data histograms; set style histogram clustered gap 1\n"
                      "set style fill solid 0.8; set boxwidth 0.9; set xrange [-0.5:%u.5]\n"
                      "plot for [i=2:%u] $data%u using i:xtic(1) title columnheader(i)\n",
                      table->x_count - 1, table->column_count + 1, number);
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
                                            {"iput", "Indirect Put"}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (strcmp(titles[i][0], experiment) == 0)
            return titles[i][1];
    }
    return NULL;
}

static const chart *choose_chart(const json_t *report, const json_t *rows)
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
    if (title_of(name) == NULL)
        return NULL;
    if (json_object_get(json_array_get(rows, 0), "senders") != NULL)
        return &senders_chart;
    return has_several_payloads(rows) ? &sweep_chart : &payload_chart;
}

static void write_head(FILE *script, const chart *chosen, unsigned panels, const json_t *report)
{
    char machine[128] = "";
    const json_t *env = json_object_get(report, "env");
    const char *experiment = json_string_value(json_object_get(report, "experiment"));
    const char *title = chosen->title != NULL ? chosen->title : title_of(experiment);
    const char *cpu = json_string_value(json_object_get(env, "cpu"));
    append_text(machine, sizeof machine, cpu != NULL ? cpu : "");
    (void)fprintf(script,
                  "set terminal svg size 900,%u font 'Helvetica,14' background 'white' "
                  "noenhanced\nset datafile separator '\\t'; set datafile missing '?'\n"
                  "set grid; set border 3; set tics nomirror\n"
                  "set multiplot layout %u,1 title '%s, %s'\n",
                  60 + panels * PANEL_HEIGHT, panels, title, machine);
}

bool plot_chart_write(FILE *script, const json_t *report)
{
    static matrix table;
    const json_t *rows = json_object_get(report, "rows");
    const chart *chosen = choose_chart(report, rows);
    unsigned panels = 0;
    if (chosen == NULL)
        return complain("the file is not of an experiment that tc-perf knows");
    while (panels < PANELS_MAX && chosen->panels[panels].x_keys[0] != NULL)
        panels++;
    write_head(script, chosen, panels, report);
    for (unsigned i = 0; i < panels; i++) {
        if (!fill_matrix(&table, &chosen->panels[i], rows))
            return false;
        write_panel(script, &table, &chosen->panels[i], i);
    }
    (void)fputs("unset multiplot\n", script);
    return fflush(script) == 0 || complain("cannot write the script");
}
