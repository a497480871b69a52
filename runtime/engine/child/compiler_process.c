/* One request and one reply at a time, each with a deadline. A failed exchange ends the child
 * and starts the next one; the code is tried again only if another process killed the child. */
#include "compiler_process.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/printable.h"
#include "engine/child/child_process.h"
#include "engine/child/compile_protocol.h"
#include "engine/engine_module.h"
#include "engine/name_list.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process takes 25 ms to get ready. Where LLVM is not in the page cache and fifteen others
 * want the two processors, it took more than 2 s, however short the time for a compile is. */
#define START_MIN_NS (10 * TCI_NS_PER_S)
/* A process that dies before it is ready, or is killed by another, gets a second chance. */
#define TRIES 2
#define DIAGNOSTICS_MAX 400

struct tci_compiler {
    tci_compiler_opts opts;
    char program[TCI_ENGINE_PATH_MAX]; /* "" until it was found */
    char folder[TCI_ENGINE_PATH_MAX];  /* of the module */
    tci_child child;
    bool running;            /* there is a child */
    bool ready;              /* its hello was read and accepted */
    bool given_up;           /* compile in the caller's thread */
    uint32_t wall;           /* from the hello */
    size_t diagnostics_read; /* of the child's standard error */
};

/* Without a process, code is refused, or compiled here where that is wanted. */
static tc_status do_without(tci_compiler *c, tc_log_level level, const tc_error *reason,
                            tc_error *err)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    bool needs_wall = c->opts.wall == TCI_CHOICE_WALL_YES;
    bool has_none = needs_wall && reason->status == TC_E_UNSUPPORTED;
    if (!c->opts.or_in_thread || needs_wall)
        return tci_error_set(err, has_none ? TC_E_UNSUPPORTED : TC_E_NO_MEMORY,
                             "no process to compile in can be had: %s", reason->text);
    c->given_up = true;
    if (!atomic_flag_test_and_set(&said))
        TC_LOG(level, "engine: code is compiled in this process, which bad code may end: %s",
               reason->text);
    return TC_OK;
}

/* Programs of another machine run here by an emulator, and cannot start one another: that needs
 * no warning. */
static tc_log_level start_failure_level(tc_status status)
{
    return status == TC_E_UNSUPPORTED ? TC_LOG_INFO : TC_LOG_WARN;
}

/* --- start -------------------------------------------------------------------------------- */

static tc_status start_child(tci_compiler *c, tc_error *err)
{
    char parent[16], memory[24];
    char *priority = c->opts.background ? "background" : "foreground";
    char *wall = c->opts.wall == TCI_CHOICE_WALL_NO ? "open" : "walled";
    if (c->program[0] == '\0')
        TC_TRY(tci_engine_module_compiler(c->opts.ops, c->program, c->folder, err));
    (void)snprintf(parent, sizeof parent, "%ld", (long)getpid());
    (void)snprintf(memory, sizeof memory, "%" PRIu64, c->opts.memory_max);
    char *argv[] = {c->program, c->folder, parent, memory, priority, wall, NULL};
    tc_status status = tci_child_start(argv, &c->child, err);
    c->running = status == TC_OK;
    c->diagnostics_read = 0;
    return status;
}

tc_status tci_compiler_start(const tci_compiler_opts *opts, tci_compiler **compiler_out,
                             tc_error *err)
{
    tci_compiler *c = calloc(1, sizeof *c);
    if (c == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compiler: out of memory");
    c->opts = *opts;
    c->given_up = opts->in_thread;
    if (!c->given_up)
        (void)start_child(c, NULL); /* the first compile reports a failure */
    *compiler_out = c;
    return TC_OK;
}

void tci_compiler_end(tci_compiler *c)
{
    if (c == NULL)
        return;
    if (c->running) {
        (void)tci_child_end(&c->child);
        tci_child_close(&c->child);
    }
    free(c);
}

bool tci_compiler_has_died(const tci_compiler *c)
{
    return c->ready && tci_child_has_ended(&c->child);
}

pid_t tci_compiler_pid(const tci_compiler *c)
{
    return c->running ? c->child.pid : -1;
}

uint32_t tci_compiler_wall(const tci_compiler *c)
{
    return c->ready ? c->wall : 0;
}

/* --- the end of one ----------------------------------------------------------------------- */

typedef struct child_end {
    int status;          /* waitpid's, or -1 */
    bool said_something; /* since its diagnostics were last read */
} child_end;

static void describe_end(const tci_compiler *c, int status, const char *doing, tc_error *err)
{
    char how[96], diagnostics[DIAGNOSTICS_MAX];
    tci_child_diagnostics(&c->child, c->diagnostics_read, diagnostics, sizeof diagnostics);
    if (status == -1)
        (void)snprintf(how, sizeof how, "ended");
    else if (WIFSIGNALED(status))
        (void)snprintf(how, sizeof how, "ended by signal %d%s", WTERMSIG(status),
                       WTERMSIG(status) == SIGSYS ? ", for a system call that it may not make"
                                                  : "");
    else
        (void)snprintf(how, sizeof how, "ended with exit status %d", WEXITSTATUS(status));
    tci_error_fill(err, TC_E_COMPILE, "the compiler %s while %s%s%s", how, doing,
                   diagnostics[0] != '\0' ? ": " : "", diagnostics);
}

/* Ends the child for this `reason`. With TC_E_PEER_LOST, err describes how it ended. */
static child_end end_child(tci_compiler *c, tc_status reason, const char *doing, tc_error *err)
{
    child_end end;
    if (reason == TC_E_PEER_LOST)
        tci_child_let_end(&c->child);
    end.status = tci_child_end(&c->child);
    end.said_something = tci_child_diagnostics_size(&c->child) > c->diagnostics_read;
    if (reason == TC_E_PEER_LOST)
        describe_end(c, end.status, doing, err);
    tci_child_close(&c->child);
    c->running = false;
    c->ready = false;
    return end;
}

static bool was_killed_by_others(const child_end *end)
{
    return end->status != -1 && WIFSIGNALED(end->status) &&
           (WTERMSIG(end->status) == SIGKILL || WTERMSIG(end->status) == SIGTERM);
}

/* An emulator may start a program only to find that it cannot run it. */
static bool was_never_run(const child_end *end)
{
    return end->status != -1 && WIFEXITED(end->status) && WEXITSTATUS(end->status) == 127 &&
           !end->said_something;
}

/* --- talk --------------------------------------------------------------------------------- */

/* Receives a whole message; *body_out is for free(). */
static tc_status receive(const tci_child *child, uint64_t deadline_ns,
                         tci_compile_kind *kind_out, void **body_out, size_t *size_out,
                         tc_error *err)
{
    uint8_t prefix[TCI_COMPILE_PREFIX_BYTES];
    TC_TRY(tci_child_receive(child, prefix, sizeof prefix, deadline_ns));
    TC_TRY(tci_compile_prefix_decode(prefix, kind_out, size_out, err));
    void *body = malloc(*size_out > 0 ? *size_out : 1);
    if (body == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compiled code of %zu bytes: out of memory",
                             *size_out);
    tc_status status = tci_child_receive(child, body, *size_out, deadline_ns);
    if (status == TC_OK)
        *body_out = body;
    else
        free(body);
    return status;
}

static tc_status check_hello(const tci_compiler *c, const tci_engine *engine,
                             const tci_compile_hello *hello, tc_error *err)
{
    const tci_engine_ops *ops = c->opts.ops;
    if (hello->abi != ops->abi || strcmp(hello->llvm, ops->llvm()) != 0)
        return tci_error_set(err, TC_E_VERSION,
                             "%s has engine interface %u and LLVM %s, expected %u and %s",
                             c->program, hello->abi, hello->llvm, ops->abi, ops->llvm());
    if (strcmp(hello->cpu, ops->cpu(engine)) != 0 ||
        strcmp(hello->features, ops->features(engine)) != 0)
        return tci_error_set(err, TC_E_VERSION,
                             "%s makes code for %s, expected %s, or for other features of it",
                             c->program, hello->cpu, ops->cpu(engine));
    return TC_OK;
}

/* Logs once: a process finds the same kernel as the one before. */
static void log_wall(const tci_compile_wall *wall)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char names[TCI_WALL_TEXT_MAX];
    if (atomic_flag_test_and_set(&said))
        return;
    TC_LOG(TC_LOG_INFO, "engine: code is compiled behind walls: %s%s%s",
           tci_compile_wall_names(wall->parts, names),
           wall->missing[0] != '\0' ? "; missing: " : "", wall->missing);
}

static tc_status take_wall(tci_compiler *c, tci_compile_wall *wall, tc_error *err)
{
    tci_printable_text(wall->missing, sizeof wall->missing);
    if (c->opts.wall == TCI_CHOICE_WALL_YES && wall->parts != TCI_WALL_ALL)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "option compiler_wall is yes, and the compiler has no %s",
                             wall->missing);
    if (c->opts.wall != TCI_CHOICE_WALL_NO)
        log_wall(wall);
    c->wall = wall->parts;
    return TC_OK;
}

static tc_status refused_start(const void *body, size_t size, tc_error *err)
{
    tci_compile_reply reply;
    TC_TRY(tci_compile_reply_decode(body, size, &reply, err));
    return tci_error_set(err, reply.status == TC_OK ? TC_E_CORRUPT : reply.status, "%.*s",
                         (int)reply.text_size, reply.text);
}

/* TC_E_PEER_LOST: the child ended first. */
static tc_status read_hello(tci_compiler *c, const tci_engine *engine, tc_error *err)
{
    tci_compile_kind kind;
    void *body;
    size_t size;
    uint64_t time_max_ns = c->opts.time_max_ns;
    if (time_max_ns < START_MIN_NS)
        time_max_ns = START_MIN_NS;
    tci_child_allow(&c->child, c->opts.background ? time_max_ns : 0);
    TC_TRY(receive(&c->child, tci_deadline_after(time_max_ns), &kind, &body, &size, err));
    tci_compile_hello *hello = malloc(sizeof *hello);
    tc_status status;
    if (hello == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "hello: out of memory");
    else if (kind == TCI_COMPILE_REPLY)
        status = refused_start(body, size, err);
    else
        status = tci_compile_hello_decode(body, size, hello, err);
    if (status == TC_OK)
        status = check_hello(c, engine, hello, err);
    if (status == TC_OK)
        status = take_wall(c, &hello->wall, err);
    free(hello);
    free(body);
    return status;
}

/* TC_OK: a child has sent its hello, or the code is compiled here. TC_E_CLOSED: the code was
 * cancelled before; a child that starts on a busy machine takes seconds. */
static tc_status make_ready(tci_compiler *c, const tci_engine *engine,
                            const atomic_bool *cancelled, tc_error *err)
{
    for (int try = 1; !c->ready && !c->given_up; try++) {
        tc_error reason = {0};
        tc_status status = c->running ? TC_OK : start_child(c, &reason);
        if (status != TC_OK)
            return do_without(c, start_failure_level(status), &reason, err);
        c->child.cancelled = cancelled;
        status = read_hello(c, engine, &reason);
        c->child.cancelled = NULL;
        c->ready = status == TC_OK;
        if (c->ready)
            return TC_OK;
        if (status == TC_E_TIMEOUT)
            tci_error_fill(&reason, status, "%s does not get ready", c->program);
        child_end end = end_child(c, status, "it started", &reason);
        if (status == TC_E_CLOSED)
            return tci_error_set(err, status, "nobody waits for it any more");
        if (was_never_run(&end))
            status = tci_error_set(&reason, TC_E_UNSUPPORTED,
                                   "the compiler cannot be run here, as in an emulator");
        if (status != TC_E_PEER_LOST || try == TRIES)
            return do_without(c, start_failure_level(status), &reason, err);
    }
    return TC_OK;
}

/* --- compile ------------------------------------------------------------------------------ */

/* Checks symbols as module_check.h does, which cannot ask from another process. */
static tc_status check_names(const tci_compile_reply *reply, const tci_engine_code *code,
                             tc_error *err)
{
    tci_name_list missing = {0};
    for (const char *name = reply->names, *end = name + reply->names_size; name < end;
         name += strlen(name) + 1) {
        if (code->resolve(code->resolve_user, name) == NULL)
            tci_name_list_add(&missing, name);
    }
    if (missing.count > 0)
        return tci_error_set(err, TC_E_UNRESOLVED, "no library here defines: %s",
                             tci_name_list_finish(&missing));
    return TC_OK;
}

/* The object stays in the message's own memory, moved to its beginning. */
static tc_status take_object(const tci_compile_reply *reply, const tci_engine_code *code,
                             void *body, tci_object *object_out, tc_error *err)
{
    TC_TRY(check_names(reply, code, err));
    if (reply->status != TC_OK)
        return tci_error_set(err, reply->status, "%.*s", (int)reply->text_size, reply->text);
    *object_out = (tci_object){
        .bytes = body,
        .size = reply->object_size,
        .writable = reply->writable,
        .parse_ns = reply->parse_ns,
        .verify_ns = reply->verify_ns,
        .passes_ns = reply->passes_ns,
        .codegen_ns = reply->codegen_ns,
    };
    memmove(body, reply->object, reply->object_size);
    return TC_OK;
}

static tc_status exchange(tci_compiler *c, const tci_engine_code *code, void **body_out,
                          tci_compile_reply *reply_out, tc_error *err)
{
    uint8_t prefix[TCI_COMPILE_PREFIX_BYTES], head[TCI_COMPILE_REQUEST_HEAD_MAX];
    uint64_t deadline_ns = tci_deadline_after(c->opts.time_max_ns);
    size_t head_size, size;
    tci_compile_kind kind;
    TC_TRY(tci_compile_request_encode(code, head, &head_size, err));
    c->child.cancelled = code->cancelled;
    tci_child_allow(&c->child, c->opts.background ? c->opts.time_max_ns : 0);
    tci_compile_prefix_encode(TCI_COMPILE_REQUEST, head_size + code->size, prefix);
    struct iovec parts[] = {
        {prefix, sizeof prefix}, {head, head_size}, {(void *)code->bytes, code->size}};
    TC_TRY(tci_child_send(&c->child, parts, 3, deadline_ns));
    TC_TRY(receive(&c->child, deadline_ns, &kind, body_out, &size, err));
    tc_status status = tci_compile_reply_decode(*body_out, size, reply_out, err);
    if (status == TC_OK && kind != TCI_COMPILE_REPLY)
        status =
            tci_error_set(err, TC_E_CORRUPT, "a compiler's message of kind %d, expected %d",
                          (int)kind, TCI_COMPILE_REPLY);
    if (status != TC_OK)
        free(*body_out);
    return status;
}

/* Starts the next child after a failed exchange, so that no caller waits. True: try again. */
static bool replace_child(tci_compiler *c, const tci_engine_code *code, tc_status status,
                          tc_error *err)
{
    char doing[TCI_ARCHIVE_NAME_MAX + 32];
    (void)snprintf(doing, sizeof doing, "it compiled '%s'", code->name);
    if (status == TC_E_TIMEOUT)
        tci_error_fill(err, status,
                       "compiling it took longer than compile_time_max, %" PRIu64 " ms",
                       (uint64_t)(c->opts.time_max_ns / TCI_NS_PER_MS));
    if (status == TC_E_CLOSED)
        tci_error_fill(err, status, "nobody waits for it any more");
    child_end end = end_child(c, status, doing, err);
    (void)start_child(c, NULL);
    return status == TC_E_PEER_LOST && was_killed_by_others(&end);
}

/* Logs LLVM's diagnostics about code that it does compile. */
static void log_diagnostics(tci_compiler *c)
{
    char diagnostics[DIAGNOSTICS_MAX];
    size_t size = tci_child_diagnostics_size(&c->child);
    if (size <= c->diagnostics_read)
        return;
    tci_child_diagnostics(&c->child, c->diagnostics_read, diagnostics, sizeof diagnostics);
    TC_LOG(TC_LOG_INFO, "engine: the compiler reports: %s", diagnostics);
    c->diagnostics_read = size;
}

static tc_status compile_apart(tci_compiler *c, const tci_engine_code *code, bool *again_out,
                               tci_object *object_out, tc_error *err)
{
    tci_compile_reply reply;
    void *body;
    tc_status status = exchange(c, code, &body, &reply, err);
    c->child.cancelled = NULL;
    if (status == TC_E_TOO_LARGE)
        return status; /* nothing was sent */
    if (status != TC_OK) {
        *again_out = replace_child(c, code, status, err);
        return status == TC_E_PEER_LOST ? TC_E_COMPILE : status;
    }
    log_diagnostics(c);
    status = take_object(&reply, code, body, object_out, err);
    if (status != TC_OK)
        free(body);
    return status;
}

tc_status tci_compiler_compile(tci_compiler *c, tci_engine *engine, const tci_engine_code *code,
                               tci_object *object_out, tc_error *err)
{
    tc_status status = TC_E_COMPILE;
    bool again = true;
    tc_error local; /* its text is composed in steps, also without a caller's err */
    if (err == NULL)
        err = &local;
    for (int try = 1; again && try <= TRIES; try++) {
        if (tci_compiler_has_died(c))
            (void)end_child(c, TC_E_CLOSED, "", err);
        TC_TRY(make_ready(c, engine, code->cancelled, err));
        if (c->given_up && c->opts.wall == TCI_CHOICE_WALL_YES)
            return tci_error_set(err, TC_E_UNSUPPORTED,
                                 "option compiler_wall is yes, and compiler=thread has none");
        if (c->given_up)
            return c->opts.ops->compile(engine, code, object_out, err);
        again = false;
        status = compile_apart(c, code, &again, object_out, err);
    }
    return status;
}
