/* The charts that tc-perf draws, and which of them shows an experiment's rows best. */
#ifndef TC_PERF_PLOT_CHOICE_H
#define TC_PERF_PLOT_CHOICE_H

#include <jansson.h>

#define PLOT_PANELS_MAX 3u
#define PLOT_KEYS_MAX 3u

typedef enum plot_style { LINES, BARS } plot_style;

typedef struct plot_measure {
    const char *key;
    const char *name; /* in the legend, or empty */
} plot_measure;

/* One pair of axes: a value per x and column. A column is a combination of the series' members
 * and a measure. */
typedef struct plot_panel {
    plot_style style;
    const char *x_keys[PLOT_KEYS_MAX]; /* as many as there are */
    const char *x_label;
    const char *series_keys[PLOT_KEYS_MAX];
    plot_measure measures[2]; /* the second may be missing */
    double scale;
    const char *y_label;
    const char *settings; /* of gnuplot */
} plot_panel;

typedef struct plot_chart {
    const char *title;
    plot_panel panels[PLOT_PANELS_MAX];
} plot_chart;

/* NULL: not of an experiment that is known. */
const plot_chart *plot_choose(const json_t *report, const json_t *rows);
/* The chart's own, or what the experiment is called. */
const char *plot_title(const plot_chart *chosen, const json_t *report);

#endif
