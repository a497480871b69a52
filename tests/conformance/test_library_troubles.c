/* Libraries with an init that does not return, with a killed pusher, that rules deny, and that
 * are made for another machine. */
#include "../shipped/shelf.h"
#include "../support/pair.h"
#include "../support/process.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <tc/call.h>
#include <tc/library.h>
#include <unistd.h>

#define SHORT_NS 200000000ull
#define PUSHER "--push" /* this program as one that pushes, with the target's address */

static char folder[] = "/tmp/tc-test-XXXXXX", gate[64], inside[64], rules[64], option[72];

static tc_status try_borrow(pair *p, shelf_answer *answer, tc_error *error)
{
    size_t size = sizeof *answer;
    const uint64_t one = 1;
    return tc_call(p->ep, pair_ifunc(p, "borrow"), &one, sizeof one, answer, &size,
                   PAIR_TIMEOUT_NS, error);
}

static void expect_version(pair *p, uint64_t version, uint64_t count)
{
    shelf_answer answer;
    tc_error error;
    must(try_borrow(p, &answer, &error), &error, "borrow");
    assert_int_equal(answer.version, version);
    assert_int_equal(answer.count, count);
    assert_int_equal(answer.inits, 1);
}

static void expect_text(const tc_error *error, const char *text)
{
    if (strstr(error->text, text) == NULL)
        fail_msg("'%s' lacks '%s'", error->text, text);
}

/* --- an init that waits ------------------------------------------------------------------- */

/* shelf7 waits in its init for as long as this file is there. */
static void shut_gate(void)
{
    FILE *file = fopen(gate, "w");
    assert_non_null(file);
    (void)fclose(file);
    (void)unlink(inside);
}

static void open_gate(void)
{
    assert_int_equal(unlink(gate), 0);
}

TEST(an_init_without_end_costs_its_pusher_its_time)
{
    pair p, q;
    tc_error error;
    pair_open(&p, NULL);
    pair_open(&q, NULL);
    shipped_library_push(p.ep, SHELF(1));
    shipped_library_push(q.ep, SHELF(1));
    expect_version(&p, 1, 1);
    shut_gate();
    assert_status(shipped_library_try_push(p.ep, SHELF(7), SHORT_NS, &error), TC_E_TIMEOUT);
    assert_int_equal(access(inside, F_OK), 0);
    expect_version(&q, 1, 1); /* another node goes on */
    assert_status(shipped_library_try_push(p.ep, SHELF(7), SHORT_NS, &error), TC_E_TIMEOUT);
    open_gate();
    expect_version(&p, 7, 2); /* it succeeded there in the end */
    shipped_library_push(p.ep, SHELF(7));
    shipped_library_push(p.ep, SHELF(1));
    expect_version(&p, 1, 3);
    pair_close(&q);
    pair_close(&p);
}

static int be_pusher(const char *host_port)
{
    tc_context *ctx;
    tc_ep *ep;
    tc_error error;
    must(tc_context_create(NULL, &ctx, &error), &error, "context");
    must(tc_ep_connect(ctx, host_port, PAIR_TIMEOUT_NS, &ep, &error), &error, "connect");
    shipped_library_push(ep, SHELF(7));
    return 0;
}

PAIR_TEST(a_pusher_that_is_killed_leaves_a_whole_library)
{
    process pusher = {0};
    char self[1024] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    shipped_library_push(p->ep, SHELF(1));
    expect_version(p, 1, 1);
    shut_gate();
    process_start(&pusher, (const char *const[]){self, PUSHER, p->host_port, NULL}, NULL);
    while (access(inside, F_OK) != 0)
        (void)sched_yield();
    process_signal(&pusher, SIGKILL);
    assert_int_equal(process_wait(&pusher), 128 + SIGKILL);
    open_gate();
    expect_version(p, 7, 2);
    shipped_library_push(p->ep, SHELF(2));
    expect_version(p, 2, 3);
    process_end(&pusher);
}

/* --- rules -------------------------------------------------------------------------------- */

static void open_under(pair *p, const char *text)
{
    FILE *file = fopen(rules, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    assert_int_equal(chmod(rules, 0600), 0);
    pair_open(p, (const char *const[]){"symbols", option, NULL});
}

TEST(a_rule_denies_a_symbol_of_a_library)
{
    pair p;
    shelf_answer answer;
    tc_error error;
    open_under(&p, "deny tc:shelf shelf_put\ndefault allow\n");
    shipped_library_push(p.ep, SHELF(1));
    assert_status(try_borrow(&p, &answer, &error), TC_E_UNRESOLVED);
    expect_text(&error, "symbol shelf_put of tc:shelf is denied");
    expect_text(&error, "line 1: deny tc:shelf shelf_put");
    pair_close(&p);
}

TEST(a_rule_denies_a_library)
{
    pair p;
    shelf_answer answer;
    tc_error error;
    open_under(&p, "deny tc:shelf *\ndefault allow\n");
    shipped_library_push(p.ep, SHELF(1));
    assert_status(try_borrow(&p, &answer, &error), TC_E_NO_LIBRARY);
    expect_text(&error, "library tc:shelf is denied");
    pair_close(&p);
}

TEST(a_rule_for_another_library_denies_nothing)
{
    pair p;
    open_under(&p, "deny tc:shel *\ndeny shelf *\ndefault allow\n");
    shipped_library_push(p.ep, SHELF(1));
    expect_version(&p, 1, 1);
    pair_close(&p);
}

/* The library's own symbols are judged as a function's. */
TEST(a_rule_denies_what_a_library_needs)
{
    pair p;
    tc_error error;
    open_under(&p, "deny * getenv\ndefault allow\n");
    assert_status(shipped_library_try_push(p.ep, SHELF(1), PAIR_TIMEOUT_NS, &error),
                  TC_E_UNRESOLVED);
    expect_text(&error, "shelf: symbol getenv of ");
    expect_text(&error, "line 1: deny * getenv");
    pair_close(&p);
}

/* --- another machine ---------------------------------------------------------------------- */

PAIR_TEST(a_library_for_another_machine_is_refused)
{
    tc_error error;
    shipped_library_push(p->ep, SHELF(1));
    expect_version(p, 1, 1);
    assert_status(
        shipped_library_try_push(p->ep, "foreign_shelf/shelf", PAIR_TIMEOUT_NS, &error),
        TC_E_NO_SLICE);
    expect_text(&error, "shelf: ");
    expect_version(p, 1, 2);
}

static int remove_folder(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int make_folder(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(gate, sizeof gate, "%s/gate", folder);
    (void)snprintf(inside, sizeof inside, "%s.inside", gate);
    (void)snprintf(rules, sizeof rules, "%s/rules", folder);
    (void)snprintf(option, sizeof option, "@%s", rules);
    return setenv("SHELF_GATE", gate, 1);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], PUSHER) == 0)
        return be_pusher(argv[2]);
    return test_run(make_folder, remove_folder);
}
