/* The time until a library of 50 symbols is at a node that has never seen its content, and a
 * function that uses all of them has answered. */
#include "ifunc_link.h"
#include "ifuncs/catalogue.h"
#include "library_perf.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_process.h"
#include "perf_session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tc/call.h>

/* Between two pushes, so that the target's work after one (to store an object) is not in the
 * way of the next. */
#define PAUSE_US 2000u

enum { ACTION_RUN = 1 };

/* An image is the same with a cache of objects: nothing is compiled. */
const library_path library_paths[PUSH_PATHS] = {
    {"image", "", "auto", "fast", TC_LOAD_IMAGE, .goal_us = 200},
    {"bitcode", "_bitcode", "bitcode", "fast", TC_LOAD_JIT, .goal_us = 5000},
    {"bitcode-stored", "_bitcode", "bitcode", "auto", TC_LOAD_CACHED, .stored = true,
     .goal_us = 5000},
};

typedef struct push_pair {
    library_run *run;
    const library_path *path;
    perf_session *session;
    ifunc_link link;
    size_t library_size, user_size;
    unsigned char library[LIBRARY_ARCHIVE_MAX];
    unsigned char user[LIBRARY_ARCHIVE_MAX];
} push_pair;

tc_status library_open_new(tc_context *context, const void *archive, size_t size,
                           unsigned number, tc_library **library_out, tc_error *err)
{
    char deps[32];
    int n = snprintf(deps, sizeof deps, "# %u\n", number);
    return tc_library_open_code(
        context,
        &(tc_code){.bytes = archive, .size = size, .deps = deps, .deps_size = (size_t)n},
        library_out, err);
}

tc_status library_open_user(tc_context *context, const void *archive, size_t size,
                            const char *deps, unsigned number, tc_ifunc **fn_out, tc_error *err)
{
    char text[96];
    int n = snprintf(text, sizeof text, "%s\n# %u\n", deps, number);
    return tc_ifunc_open_code(
        context,
        &(tc_code){.bytes = archive, .size = size, .deps = text, .deps_size = (size_t)n},
        fn_out, err);
}

static bool open_link(push_pair *pair)
{
    const char *delivery = pair->run->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .form = pair->path->form,
                                      .tier = pair->path->tier,
                                      .cache_dir = pair->run->cache_dir,
                                      .path = pair->run->options->ifunc_path,
                                      .name = "tsi"};
    return ifunc_link_open(&pair->link, pair->session, &config);
}

/* --- the target ---------------------------------------------------------------------- */

static void note(void *user, const tc_load_report *report)
{
    push_pair *pair = user;
    if (!report->better && report->path != pair->path->taken)
        atomic_fetch_add(&pair->run->board->strayed, 1);
}

static bool target_step(void *experiment, const perf_command *command)
{
    push_pair *pair = experiment;
    if (command->action != ACTION_RUN || !open_link(pair))
        return false;
    tc_context_set_load_callback(pair->link.context, note, pair);
    bool ok = ifunc_link_serve(&pair->link);
    ifunc_link_close(&pair->link);
    return ok;
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- the source ---------------------------------------------------------------------- */

static bool read_archive(push_pair *pair, const char *name, unsigned char *bytes,
                         size_t *size_out)
{
    char file[64];
    (void)snprintf(file, sizeof file, "%s%s", name, pair->path->suffix);
    *size_out = perf_context_read_archive(pair->run->options->ifunc_path, file, bytes,
                                          LIBRARY_ARCHIVE_MAX);
    return *size_out > 0 || perf_session_complain(pair->session, "cannot read %s.tca", file);
}

static bool push_and_call(push_pair *pair, tc_library *library, tc_ifunc *user,
                          library_push_sample *sample)
{
    catalogue_answer answer = {0};
    size_t size = sizeof answer;
    tc_error err = {0};
    const uint64_t start_ns = perf_now_ns();
    if (tc_library_push(pair->link.peer, library, PERF_SILENCE_NS, &err) != TC_OK)
        return perf_context_complain(pair->session, "push", &err);
    const uint64_t pushed_ns = perf_now_ns();
    if (tc_call(pair->link.peer, user, NULL, 0, &answer, &size, PERF_SILENCE_NS, &err) != TC_OK)
        return perf_context_complain(pair->session, "consult", &err);
    const uint64_t end_ns = perf_now_ns();
    sample->ns[PUSH_CALL] = pushed_ns - start_ns;
    sample->ns[PUSH_FIRST_CALL] = end_ns - pushed_ns;
    sample->ns[PUSH_TOTAL] = end_ns - start_ns;
    if (size != sizeof answer || answer.calls != 1 || answer.sums != CATALOGUE_ROWS)
        return perf_session_complain(
            pair->session,
            "consult: found %zu bytes, %llu calls and sums of %llu, expected %zu, 1 and %u",
            size, (unsigned long long)answer.calls, (unsigned long long)answer.sums,
            sizeof answer, CATALOGUE_ROWS);
    if (tc_library_withdraw(pair->link.peer, library, PERF_SILENCE_NS, &err) != TC_OK)
        return perf_context_complain(pair->session, "withdraw", &err);
    return true;
}

/* No cache knows the library but the one that an earlier process filled with the same. */
static bool push_one(push_pair *pair, unsigned index)
{
    tc_error err = {0};
    tc_library *library = NULL;
    tc_ifunc *user = NULL;
    tc_context *context = pair->link.context;
    if (library_open_new(context, pair->library, pair->library_size, index, &library, &err) !=
        TC_OK)
        return perf_context_complain(pair->session, "catalogue", &err);
    bool ok = library_open_user(context, pair->user, pair->user_size, "tc:catalogue", index,
                                &user, &err) == TC_OK ||
              perf_context_complain(pair->session, "consult", &err);
    ok = ok && push_and_call(pair, library, user, &pair->run->board->pushes[index]);
    if (user != NULL)
        tc_ifunc_close(user);
    tc_library_close(library);
    (void)usleep(PAUSE_US);
    return ok;
}

static bool run_source(push_pair *pair)
{
    if (!read_archive(pair, "catalogue", pair->library, &pair->library_size) ||
        !read_archive(pair, "consult", pair->user, &pair->user_size) ||
        !perf_session_command(pair->session, ACTION_RUN, 0, 0) || !open_link(pair))
        return false;
    for (unsigned i = 0; i < PUSHES_MAX; i++) {
        if (!push_one(pair, i))
            return false;
    }
    perf_session_set_ended(pair->session);
    ifunc_link_close(&pair->link);
    return perf_session_reply(pair->session);
}

static bool run_pair(void *user)
{
    push_pair *pair = user;
    perf_session session;
    pair->session = &session;
    /* Anywhere: a target's threads need processors too. */
    bool ok = perf_session_start(&session, NULL, serve, pair) && run_source(pair);
    return perf_session_end(&session) && ok;
}

bool library_push_run(library_run *run, const library_path *path)
{
    static push_pair pair;
    pair = (push_pair){.run = run, .path = path};
    atomic_store(&run->board->strayed, 0);
    return perf_process_run(run_pair, &pair);
}
