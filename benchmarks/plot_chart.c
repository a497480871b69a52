#include "plot_chart.h"

#include "plot_choice.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define NAME_MAX_BYTES 48u
#define X_MAX 64u
#define COLUMNS_MAX 24u
#define PANEL_HEIGHT 380u /* points, of a width of 900 */

typedef struct matrix {
    unsigned x_count;
    unsigned column_count;
    char xs[X_MAX][NAME_MAX_BYTES];
    char columns[COLUMNS_MAX][NAME_MAX_BYTES];
    double values[X_MAX][COLUMNS_MAX]; /* NAN: none */
} matrix;

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
                           const char *const keys[PLOT_KEYS_MAX])
{
    for (unsigned i = 0; i < PLOT_KEYS_MAX && keys[i] != NULL; i++)
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

static bool add_value(matrix *table, const plot_panel *shown, const plot_measure *what,
                      const json_t *row)
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

static bool fill_matrix(matrix *table, const plot_panel *shown, const json_t *rows)
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

static void write_panel(FILE *script, const matrix *table, const plot_panel *shown,
                        unsigned number)
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

static void write_head(FILE *script, const char *title, unsigned panels, const json_t *report)
{
    char machine[128] = "", text[128] = "";
    const json_t *env = json_object_get(report, "env");
    const char *cpu = json_string_value(json_object_get(env, "cpu"));
    append_text(machine, sizeof machine, cpu != NULL ? cpu : "");
    append_text(text, sizeof text, title);
    (void)fprintf(script,
                  "set terminal svg size 900,%u font 'Helvetica,14' background 'white' "
                  "noenhanced\nset datafile separator '\\t'; set datafile missing '?'\n"
                  "set grid; set border 3; set tics nomirror\n"
                  "set multiplot layout %u,1 title '%s, %s'\n",
                  60 + panels * PANEL_HEIGHT, panels, text, machine);
}

bool plot_chart_write(FILE *script, const json_t *report, const char *title)
{
    static matrix table;
    const json_t *rows = json_object_get(report, "rows");
    const plot_chart *chosen = plot_choose(report, rows);
    unsigned panels = 0;
    if (chosen == NULL)
        return complain("the file is not of an experiment that tc-perf knows");
    while (panels < PLOT_PANELS_MAX && chosen->panels[panels].x_keys[0] != NULL)
        panels++;
    write_head(script, title != NULL ? title : plot_title(chosen, report), panels, report);
    for (unsigned i = 0; i < panels; i++) {
        if (!fill_matrix(&table, &chosen->panels[i], rows))
            return false;
        write_panel(script, &table, &chosen->panels[i], i);
    }
    (void)fputs("unset multiplot\n", script);
    return fflush(script) == 0 || complain("cannot write the script");
}
