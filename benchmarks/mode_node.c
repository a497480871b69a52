#include "mode_node.h"

#include "ifunc_link.h"
#include "ifuncs/visit.h"
#include "perf_clock.h"
#include "perf_context.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tc/call.h>

#define SETTINGS_MAX 12u
#define LOOK_US 1000u /* between looks at a node that starts or ends */
#define END_TIMEOUT_NS (10 * PERF_NS_PER_S)

enum {
    KEY = 1,
    CERTIFICATE = 2,
    SIGNED = 4,
    RULES = 8,
    CONFINED = 16,
    ISOLATED = 32,
    READ_ONLY = 64,
    USAGE = 128 /* the option usage is the mode's name */
};

typedef struct node_mode {
    perf_mode mode; /* first: a series points here */
    unsigned protection;
} node_mode;

typedef struct node_settings {
    perf_setting list[SETTINGS_MAX];
    unsigned count;
    char paths[6][PERF_PATH_MAX]; /* the memory that values point to */
    unsigned path_count;
} node_settings;

typedef struct node_state {
    ifunc_link link; /* source */
    uint16_t port;
    pid_t node; /* target; 0: no process */
    unsigned char *payload;
    bool answered; /* the call that is under way */
    tc_status outcome;
} node_state;

static const node_files *files;

void mode_node_use(const node_files *made)
{
    files = made;
}

static unsigned protection_of(const perf_series *series)
{
    return ((const node_mode *)series->mode)->protection;
}

/* --- options of both sides ---------------------------------------------------------------- */

static void set(node_settings *settings, const char *option, const char *value)
{
    settings->list[settings->count++] = (perf_setting){option, value};
}

static void set_file(node_settings *settings, const char *option, const char *name)
{
    set(settings, option,
        node_files_path(files, name, settings->paths[settings->path_count++]));
}

/* Nothing that an earlier run has left on disk is used. */
static void set_both(node_settings *settings, const perf_series *series)
{
    const unsigned protection = protection_of(series);
    set(settings, "delivery", series->delivery_wanted);
    set(settings, "cache_dir", "");
    if (protection & KEY)
        set_file(settings, "key_file", "shared");
    if (protection & CERTIFICATE) {
        set_file(settings, "tls_ca", "certificate");
        set_file(settings, "tls_cert", "certificate");
        set_file(settings, "tls_key", "certificate.key");
    }
}

/* It polls for as long as a round trip over tcp takes, and idle nodes sleep. */
static void set_node(node_settings *settings, const perf_series *series)
{
    const unsigned protection = protection_of(series);
    set(settings, "spin", "500us");
    if (protection & USAGE)
        set(settings, "usage", series->mode->name);
    if (protection & SIGNED) {
        set_file(settings, "trust", "trust");
        set(settings, "require_signature", "yes");
    }
    if (protection & READ_ONLY)
        set(settings, "payload", "readonly");
    if (protection & RULES) {
        (void)snprintf(settings->paths[settings->path_count], PERF_PATH_MAX, "@%.*s/rules",
                       PERF_PATH_MAX / 2, files->folder);
        set(settings, "symbols", settings->paths[settings->path_count++]);
    }
}

/* UCX between hosts, where it would use the network. */
static bool is_over_tcp(const perf_series *series)
{
    return series->delivery_wanted != NULL && strcmp(series->delivery_wanted, "am") == 0;
}

/* --- target: the node --------------------------------------------------------------------- */

static void set_environment(const node_settings *settings)
{
    char name[64];
    for (unsigned i = 0; i < settings->count; i++) {
        size_t n = (size_t)snprintf(name, sizeof name, "TC_%s", settings->list[i].option);
        for (size_t at = 0; at < n; at++)
            name[at] = (char)toupper((unsigned char)name[at]);
        if (settings->list[i].value != NULL)
            (void)setenv(name, settings->list[i].value, 1);
    }
}

/* Its lines about peers would hide tc-perf's output. */
static _Noreturn void become_node(const perf_series *series, pid_t parent, char *port_file)
{
    const unsigned protection = protection_of(series);
    static node_settings settings;
    char program[PERF_PATH_MAX + 16], log[PERF_PATH_MAX];
    char *argv[8] = {"tc-node", "--listen", "127.0.0.1:0", "--port-file", port_file};
    unsigned at = 5;
    set_both(&settings, series);
    set_node(&settings, series);
    set_environment(&settings);
    if (is_over_tcp(series))
        (void)setenv("UCX_TLS", "tcp,self", 1);
    if (protection & CONFINED)
        argv[at++] = "--confine";
    if (protection & ISOLATED)
        argv[at++] = "--isolate";
    (void)snprintf(program, sizeof program, "%s/tc-node", files->programs);
    int fd = open(node_files_path(files, "log", log), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(fd, STDOUT_FILENO);
    (void)dup2(fd, STDERR_FILENO);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        (void)execv(program, argv);
    _exit(EXIT_FAILURE);
}

static void show_log(void)
{
    char path[PERF_PATH_MAX], line[512];
    FILE *log = fopen(node_files_path(files, "log", path), "re");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        (void)fputs(line, stderr);
    if (log != NULL)
        (void)fclose(log);
}

static bool await_port(node_state *state, perf_session *session, const char *path)
{
    const uint64_t give_up_ns = perf_now_ns() + PERF_SILENCE_NS;
    unsigned port = 0;
    while (port == 0 && perf_now_ns() < give_up_ns) {
        FILE *file = fopen(path, "re");
        if (file != NULL && fscanf(file, "%u", &port) != 1)
            port = 0;
        if (file != NULL)
            (void)fclose(file);
        if (port == 0 && waitpid(state->node, NULL, WNOHANG) == state->node) {
            state->node = 0;
            show_log();
            return perf_session_complain(session, "tc-node ended before it could serve");
        }
        (void)usleep(LOOK_US);
    }
    state->port = (uint16_t)port;
    return port != 0 || perf_session_complain(session, "tc-node does not begin to serve");
}

static bool start_node(perf_series *series)
{
    node_state *state = series->state;
    char port_file[PERF_PATH_MAX];
    pid_t parent = getpid();
    (void)unlink(node_files_path(files, "port", port_file));
    state->node = fork();
    if (state->node == 0)
        become_node(series, parent, port_file);
    if (state->node < 0) {
        state->node = 0;
        return perf_session_complain(series->session, "fork failed");
    }
    return await_port(state, series->session, port_file) &&
           perf_session_send(series->session, &state->port, sizeof state->port);
}

/* It ends in order, or not at all. */
static void end_node(node_state *state)
{
    const uint64_t give_up_ns = perf_now_ns() + END_TIMEOUT_NS;
    (void)kill(state->node, SIGTERM);
    while (waitpid(state->node, NULL, WNOHANG) == 0) {
        if (perf_now_ns() > give_up_ns)
            (void)kill(state->node, SIGKILL);
        (void)usleep(LOOK_US);
    }
    state->node = 0;
}

/* --- source ------------------------------------------------------------------------------- */

static void note_answer(void *user, const tc_call_outcome *outcome)
{
    node_state *state = user;
    state->outcome = outcome->status;
    state->answered = true;
}

static bool call(node_state *state, tc_ep *peer, tc_ifunc *function, size_t size,
                 perf_poll *poll)
{
    const tc_call_params params = {
        .timeout_ns = PERF_SILENCE_NS, .done = note_answer, .user = state};
    ifunc_link *link = &state->link;
    tc_status status;
    state->answered = false;
    while ((status = tc_call_start(peer, function, state->payload, size, &params, NULL,
                                   NULL)) == TC_E_AGAIN) {
        if (tc_progress(link->context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(link);
    }
    while (status == TC_OK && !state->answered) {
        if (tc_progress(link->context) == 0 && !perf_poll_missed(poll))
            return ifunc_link_lost(link);
    }
    perf_poll_hit(poll);
    status = status == TC_OK ? state->outcome : status;
    return status == TC_OK || ifunc_link_send_failed(link, status);
}

static bool create_context(perf_series *series)
{
    node_state *state = series->state;
    node_settings settings = {.count = 0};
    tc_error err = {0};
    const char *before = getenv("UCX_TLS");
    char *kept = before != NULL ? strdup(before) : NULL;
    set_both(&settings, series);
    if (is_over_tcp(series))
        (void)setenv("UCX_TLS", "tcp,self", 1);
    tc_status status =
        perf_context_create(settings.list, settings.count, &state->link.context, &err);
    if (is_over_tcp(series))
        (void)(kept != NULL ? setenv("UCX_TLS", kept, 1) : unsetenv("UCX_TLS"));
    free(kept);
    return status == TC_OK || perf_context_complain(series->session, "context", &err);
}

/* `number` < 0: the function that carries the messages. Unsigned code travels without a
 * signature where none is required. */
static bool open_function(perf_series *series, int number, tc_ifunc **function_out)
{
    node_state *state = series->state;
    char name[32], path[PERF_PATH_MAX];
    tc_error err = {0};
    tc_status status;
    if (protection_of(series) & SIGNED) {
        (void)snprintf(name, sizeof name, number < 0 ? "visit.tca" : "visit%d.tca", number);
        status = tc_ifunc_open_code(state->link.context,
                                    &(tc_code){.path = node_files_path(files, name, path)},
                                    function_out, &err);
    } else if (number < 0) {
        status =
            tc_ifunc_open_code(state->link.context,
                               &(tc_code){.bytes = files->archive, .size = files->archive_size},
                               function_out, &err);
    } else {
        status = perf_context_open_new(state->link.context, files->archive, files->archive_size,
                                       (unsigned)number, function_out, &err);
    }
    return status == TC_OK || perf_context_complain(series->session, "visit", &err);
}

static bool connect_node(perf_series *series)
{
    node_state *state = series->state;
    size_t size, room = series->options->payload_bytes;
    tc_ep_info info;
    state->link.session = series->session;
    state->payload = calloc(1, room < VISIT_TEXT ? VISIT_TEXT : room);
    if (state->payload == NULL)
        return perf_session_complain(series->session, "out of memory");
    if (!perf_session_recv(series->session, &state->port, sizeof state->port, &size) ||
        !create_context(series) || !open_function(series, -1, &state->link.function) ||
        !perf_context_connect(series->session, state->link.context, state->port,
                              &state->link.peer))
        return false;
    series->payload_bytes = room;
    perf_context_delivery(state->link.peer, series->delivery, &info);
    if (series->payload_bytes > info.payload_max)
        series->payload_max = info.payload_max;
    return true;
}

bool mode_node_visit(perf_series *series, unsigned number, double *connect_out,
                     double *call_out)
{
    node_state *state = series->state;
    perf_poll poll = {.session = series->session};
    tc_ifunc *function = NULL;
    tc_ep *peer = NULL;
    (void)snprintf((char *)state->payload, VISIT_TEXT, "visit %u", number);
    uint64_t start_ns = perf_now_ns();
    if (!perf_context_connect(series->session, state->link.context, state->port, &peer))
        return false;
    uint64_t open_ns = perf_now_ns();
    *connect_out = (double)(open_ns - start_ns);
    bool ok = open_function(series, (int)number, &function);
    open_ns = perf_now_ns();
    ok = ok && call(state, peer, function, VISIT_TEXT, &poll);
    *call_out = (double)(perf_now_ns() - open_ns);
    tc_ifunc_close(function);
    tc_ep_close(peer);
    return ok;
}

/* --- the modes ---------------------------------------------------------------------------- */

static bool open_node(perf_series *series)
{
    return series->session->role == PERF_TARGET ? start_node(series) : connect_node(series);
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    node_state *state = series->state;
    perf_poll poll = {.session = series->session};
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        if (!call(state, state->link.peer, state->link.function, series->payload_bytes, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return true;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    node_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!ifunc_link_send(&state->link, &poll, state->payload, series->payload_bytes))
            return false;
    }
    return ifunc_link_flush(&state->link);
}

/* The node does it. */
static bool target_latency(perf_series *series, uint64_t count)
{
    (void)series, (void)count;
    return true;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    (void)count;
    perf_session_set_done(series->session);
    return true;
}

static void release_node(perf_series *series)
{
    node_state *state = series->state;
    if (state->node > 0)
        end_node(state);
    if (state->link.context != NULL)
        ifunc_link_close(&state->link);
    free(state->payload);
}

#define NODE_MODE(variable, text, flags)                                                       \
    static const node_mode variable = {.mode = {.name = text,                                  \
                                                .has_deliveries = true,                        \
                                                .state_bytes = sizeof(node_state),             \
                                                .open = open_node,                             \
                                                .source_latency = source_latency,              \
                                                .target_latency = target_latency,              \
                                                .source_rate = source_rate,                    \
                                                .target_rate = target_rate,                    \
                                                .release = release_node},                      \
                                       .protection = (flags)}

NODE_MODE(off, "off", 0);
NODE_MODE(sealed, "sealed", KEY);
NODE_MODE(certified, "certified", CERTIFICATE);
NODE_MODE(with_signature, "signed", SIGNED);
NODE_MODE(policy, "policy", RULES);
NODE_MODE(read_only, "readonly", READ_ONLY);
NODE_MODE(confined, "confined", CONFINED);
NODE_MODE(isolated, "isolated", ISOLATED);
NODE_MODE(all, "all", CERTIFICATE | SIGNED | RULES | READ_ONLY | CONFINED | ISOLATED);

const perf_mode *const node_modes[] = {&off.mode,       &sealed.mode,
                                       &certified.mode, &with_signature.mode,
                                       &policy.mode,    &read_only.mode,
                                       &confined.mode,  &isolated.mode,
                                       &all.mode,       NULL};

NODE_MODE(uncounted, "off", USAGE);
NODE_MODE(counted, "counts", USAGE);
NODE_MODE(timed, "times", USAGE);

const perf_mode *const node_usage_modes[] = {&uncounted.mode, &counted.mode, &timed.mode, NULL};

bool mode_node_is(const perf_mode *mode)
{
    return mode->open == open_node;
}

bool mode_node_needs_certificate(const perf_mode *mode)
{
    return (((const node_mode *)mode)->protection & CERTIFICATE) != 0;
}
