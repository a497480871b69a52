/* The functions of tests/shipped as a library without the module engine has them: code of the
 * process, which both contexts of a pair use. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/advanced.h>

typedef void run(void *payload, size_t size, void *target_args);
typedef size_t size_of(void *args, size_t args_size);
typedef int make(void *payload, size_t payload_size, void *args, size_t args_size);

run check_main, doubled_main, echo_main;
size_of doubled_payload_get_max_size;
make doubled_payload_init;

/* Its code is large in the archive, and the target does not get that. */
static void bulky_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    (void)payload;
    state->bytes += size;
    state->next++;
}

static const struct local_function {
    const char *name;
    run *main;
    size_of *max_size;
    make *init;
} functions[] = {
    {"bulky", bulky_main, NULL, NULL},
    {"check", check_main, NULL, NULL},
    {"doubled", doubled_main, doubled_payload_get_max_size, doubled_payload_init},
    {"echo", echo_main, NULL, NULL},
};

static void use(tc_ifunc *fn, const struct local_function *f)
{
    tc_error error = {0};
    must(tc_ifunc_use_local_entries(fn, f->main, f->max_size, f->init, &error), &error,
         f->name);
}

void pair_provide(pair *p, tc_ifunc *fn, const char *name)
{
    tc_error error = {0};
    tc_ifunc *there;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        use(fn, &functions[i]);
        const bool paused = atomic_load(&p->server.paused);
        if (!paused)
            pair_pause(p);
        must(tc_ifunc_open(p->target, name, &there, &error), &error, name);
        use(there, &functions[i]);
        if (!paused)
            pair_resume(p);
    }
}

void pair_check_unbound(const tc_error *refusal)
{
    assert_status(refusal->status, TC_E_UNSUPPORTED);
    assert_non_null(strstr(refusal->text, "running functions needs the module engine"));
}
