/* Settings become arguments and variables, so that the rest of the program, and the processes
 * that it starts, know of no file. The text of a file stays, as its settings point into it. */
#include "node_settings.h"

#include "node_config.h"
#include "node_say.h"
#include "tool_status.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tc/log.h>
#include <tc/options.h>
#include <unistd.h>

#define LOG_LEVEL "log_level"
#define WHY_MAX 512u
#define VARIABLE_MAX 64u
#define COMPLAINT_MAX 4096u

/* Options that make no sense in a file. */
static const char *const elsewhere[] = {"config", "check-config", "make-key", "successor",
                                        "worker"};
#define ELSEWHERE_COUNT (sizeof elsewhere / sizeof elsewhere[0])

static const char *const levels[] = {"off", "error", "warn", "info", "debug"};
#define LEVEL_COUNT (sizeof levels / sizeof levels[0])

static const tool_command *program; /* its table */
static node_config in_force;        /* the settings that node_settings_read has found */
/* Kept as long as the process, as those of main are, and the file's text. */
static char **arguments;
static char *text_in_force;
static bool is_quiet; /* a worker: its node reports the same */

static __attribute__((format(printf, 2, 3))) int complain(const char *path, const char *fmt,
                                                          ...)
{
    char text[COMPLAINT_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!is_quiet)
        node_say(NODE_ERROR, "--config %s: %s", path, text);
    return TOOL_USAGE;
}

/* --- the file ----------------------------------------------------------------------------- */

/* Returns all bytes of a regular file and a terminator; NULL after the reason was printed. */
static char *read_file(const char *path, size_t *size_out)
{
    struct stat about;
    size_t size = 0;
    ssize_t n = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd >= 0 ? malloc(NODE_CONFIG_BYTES_MAX + 2) : NULL;
    if (text == NULL || fstat(fd, &about) != 0) {
        (void)complain(path, "%s", strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        (void)complain(path, "not a regular file");
    } else {
        while (n > 0 && size <= NODE_CONFIG_BYTES_MAX) {
            n = read(fd, text + size, NODE_CONFIG_BYTES_MAX + 1 - size);
            size += n > 0 ? (size_t)n : 0;
        }
        if (n < 0)
            (void)complain(path, "%s", strerror(errno));
        else if (size > NODE_CONFIG_BYTES_MAX)
            (void)complain(path, "more than %u bytes", NODE_CONFIG_BYTES_MAX);
        else
            n = 0;
    }
    if (fd >= 0)
        (void)close(fd);
    if (text == NULL || n != 0) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    *size_out = size;
    return text;
}

/* --- names and values --------------------------------------------------------------------- */

static const tool_option *find_option(const char *key)
{
    for (size_t i = 0; i < ELSEWHERE_COUNT; i++) {
        if (strcmp(key, elsewhere[i]) == 0)
            return NULL;
    }
    for (size_t i = 0; i < program->option_count; i++) {
        if (strcmp(key, program->options[i].name) == 0)
            return &program->options[i];
    }
    return NULL;
}

static const tc_option_info *find_info(const char *key)
{
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (strcmp(key, tc_options_info(i)->name) == 0)
            return tc_options_info(i);
    }
    return NULL;
}

/* Those of which the command line takes several. */
static bool repeats(const char *key)
{
    const tool_option *option = find_option(key);
    return option != NULL && option->kind == TOOL_OTHER;
}

static const char *nearest(const char *key)
{
    const char *meant = NULL;
    size_t best = TOOL_NAME_FAR;
    if (tool_options_is_nearer(key, LOG_LEVEL, &best))
        meant = LOG_LEVEL;
    for (size_t i = 0; i < program->option_count; i++) {
        const char *name = program->options[i].name;
        if (find_option(name) != NULL && tool_options_is_nearer(key, name, &best))
            meant = name;
    }
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (tool_options_is_nearer(key, tc_options_info(i)->name, &best))
            meant = tc_options_info(i)->name;
    }
    return meant;
}

static bool read_level(const char *value, tc_log_level *level_out)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (strcmp(value, levels[i]) == 0) {
            *level_out = (tc_log_level)i;
            return true;
        }
    }
    return false;
}

static int check_level(const char *path, const node_setting *s)
{
    tc_log_level level;
    if (read_level(s->value, &level))
        return TOOL_GO_ON;
    return complain(path,
                    "line %u: " LOG_LEVEL " '%s', expected off, error, warn, info or debug",
                    s->line, s->value);
}

static int check_flag(const char *path, const node_setting *s)
{
    if (strcmp(s->value, "yes") == 0 || strcmp(s->value, "no") == 0)
        return TOOL_GO_ON;
    return complain(path, "line %u: %s '%s', expected yes or no", s->line, s->key, s->value);
}

/* Checks key and value. Options that depend on each other are checked with the command line. */
static int check(const char *path, tc_options *options, const node_setting *s)
{
    tc_error error;
    char why[WHY_MAX];
    const tool_option *option = find_option(s->key);
    if (option != NULL && option->kind == TOOL_FLAG)
        return check_flag(path, s);
    if (option != NULL)
        return tool_options_accepts(option, s->value, why, sizeof why)
                   ? TOOL_GO_ON
                   : complain(path, "line %u: %s %s", s->line, s->key, why);
    if (strcmp(s->key, LOG_LEVEL) == 0)
        return check_level(path, s);
    if (find_info(s->key) != NULL)
        return tc_options_set(options, s->key, s->value, &error) == TC_OK
                   ? TOOL_GO_ON
                   : complain(path, "line %u: %s", s->line, error.text);
    const char *meant = nearest(s->key);
    return complain(path, "line %u: unknown key '%s'%s%s%s", s->line, s->key,
                    meant != NULL ? ", " : "", meant != NULL ? meant : "",
                    meant != NULL ? " is one"
                                  : ": options of tc-node and of the library are keys");
}

/* Reads and checks a whole file. Returns its text, which stays; NULL after the reason was
 * printed. */
static char *load(const char *path, node_config *config_out)
{
    char why[WHY_MAX];
    tc_options *options = NULL;
    tc_error error;
    size_t size;
    int result = TOOL_GO_ON;
    char *text = read_file(path, &size);
    if (text == NULL)
        return NULL;
    if (tc_options_create(&options, &error) != TC_OK)
        result = complain(path, "%s", error.text);
    else if (!node_config_parse(text, size, repeats, config_out, why, sizeof why))
        result = complain(path, "%s", why);
    for (unsigned i = 0; result == TOOL_GO_ON && i < config_out->count; i++)
        result = check(path, options, &config_out->settings[i]);
    tc_options_destroy(options);
    if (result == TOOL_GO_ON)
        return text;
    free(text);
    return NULL;
}

/* --- at the start ------------------------------------------------------------------------- */

/* Sets a variable for this process and its workers, unless it is set. */
static void set_variable(const char *path, const node_setting *s, const char *variable)
{
    const char *set = getenv(variable);
    if (set != NULL && strcmp(set, s->value) != 0)
        node_say(NODE_WARNING,
                 "--config %s: line %u: %s is %s in the environment, which counts", path,
                 s->line, variable, set);
    (void)setenv(variable, s->value, 0);
}

static void use_level(const node_setting *s)
{
    tc_log_level level;
    if (s == NULL || !read_level(s->value, &level))
        return;
    tc_log_set_level(level);
    (void)setenv("TC_LOG_LEVEL", s->value, 1);
}

/* Returns the argument of the same meaning: NULL for a flag that is "no", or without memory. */
static char *argument_of(const tool_option *option, const node_setting *s)
{
    char *argument = NULL;
    if (option->kind != TOOL_FLAG)
        return asprintf(&argument, "--%s=%s", s->key, s->value) > 0 ? argument : NULL;
    if (strcmp(s->value, "yes") != 0)
        return NULL;
    return asprintf(&argument, "--%s", s->key) > 0 ? argument : NULL;
}

void node_settings_begin(const tool_command *command, bool is_worker)
{
    program = command;
    is_quiet = is_worker;
}

int node_settings_read(const char *path, int *argc, char ***argv)
{
    char **all = calloc((size_t)*argc + NODE_CONFIG_SETTINGS_MAX + 1, sizeof *all);
    int count = 0;
    if (all == NULL || (text_in_force = load(path, &in_force)) == NULL) {
        free(all);
        return TOOL_USAGE;
    }
    all[count++] = (*argv)[0];
    for (unsigned i = 0; i < in_force.count; i++) {
        const node_setting *s = &in_force.settings[i];
        const tool_option *option = find_option(s->key);
        const tc_option_info *info = find_info(s->key);
        if (option != NULL && (all[count] = argument_of(option, s)) != NULL)
            count++;
        else if (option == NULL && info != NULL)
            set_variable(path, s, info->env);
    }
    if (getenv("TC_LOG_LEVEL") == NULL)
        use_level(node_config_find(&in_force, LOG_LEVEL));
    for (int i = 1; i < *argc; i++)
        all[count++] = (*argv)[i];
    *argc = count;
    *argv = arguments = all;
    return TOOL_GO_ON;
}

/* --- later -------------------------------------------------------------------------------- */

/* Returns whether `in` has the same setting; with a key that repeats, one with that value. */
static bool has(const node_config *in, const node_setting *s)
{
    for (unsigned i = 0; i < in->count; i++) {
        if (strcmp(in->settings[i].key, s->key) == 0 &&
            strcmp(in->settings[i].value, s->value) == 0)
            return true;
    }
    return false;
}

static void report_changes(const char *path, const node_config *now)
{
    for (unsigned i = 0; i < now->count; i++) {
        const node_setting *s = &now->settings[i];
        if (strcmp(s->key, LOG_LEVEL) != 0 && !has(&in_force, s))
            node_say(NODE_WARNING, "--config %s: line %u: '%s = %s' needs a restart", path,
                     s->line, s->key, s->value);
    }
    for (unsigned i = 0; i < in_force.count; i++) {
        const node_setting *s = &in_force.settings[i];
        const bool is_one = repeats(s->key); /* of several, which its value names */
        if (strcmp(s->key, LOG_LEVEL) == 0 ||
            (is_one ? has(now, s) : node_config_find(now, s->key) != NULL))
            continue;
        node_say(NODE_WARNING, "--config %s: '%s%s%s' has gone, which needs a restart", path,
                 s->key, is_one ? " = " : "", is_one ? s->value : "");
    }
}

void node_settings_read_again(const char *path)
{
    static node_config now;
    char *text = load(path, &now);
    if (text == NULL)
        return;
    use_level(node_config_find(&now, LOG_LEVEL));
    if (!is_quiet)
        report_changes(path, &now);
    free(text);
}
