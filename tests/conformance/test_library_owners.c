/* A library's name belongs to the identity that pushed it, by its certificate. */
#include "../shipped/shelf.h"
#include "../support/certificates.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/call.h>
#include <tc/library.h>
#include <unistd.h>

static char folder[] = "/tmp/tc-test-XXXXXX";

/* The options of the holder of this certificate. */
typedef struct bearer {
    char ca[64], certificate[64], key[64];
    const char *options[9];
} bearer;

static const char *const *bear(bearer *b, const char *name)
{
    (void)snprintf(b->ca, sizeof b->ca, "%s/ca.pem", folder);
    (void)snprintf(b->certificate, sizeof b->certificate, "%s/%s.pem", folder, name);
    (void)snprintf(b->key, sizeof b->key, "%s/%s.key", folder, name);
    const char *const options[] = {"tls_ca",  b->ca,  "tls_cert", b->certificate,
                                   "tls_key", b->key, NULL};
    memcpy(b->options, options, sizeof options);
    return b->options;
}

static void expect_hers(tc_status status, const tc_error *error)
{
    assert_status(status, TC_E_REFUSED);
    if (strstr(error->text, "library tc:shelf is that of cert:CN=alice") == NULL)
        fail_msg("%s", error->text);
}

static shelf_answer borrow(tc_ep *ep)
{
    shelf_answer answer = {0};
    size_t size = sizeof answer;
    const uint64_t one = 1;
    tc_ifunc *fn;
    tc_error error;
    must(tc_ifunc_open(tc_ep_context(ep), "borrow", &fn, &error), &error, "borrow");
    must(tc_call(ep, fn, &one, sizeof one, &answer, &size, PAIR_TIMEOUT_NS, &error), &error,
         "call");
    return answer;
}

TEST(a_name_is_that_of_who_pushed_it_first)
{
    pair p;
    bearer alice, bob, node;
    tc_ep *his, *again;
    tc_error error;
    tc_library_info info;
    pair_open_as(&p, bear(&alice, "alice"), bear(&node, "node"));
    tc_context *ctx = test_context(bear(&bob, "bob"));
    must(tc_ep_connect(ctx, p.host_port, PAIR_TIMEOUT_NS, &his, &error), &error, "bob");
    must(shipped_library_try_push(p.ep, SHELF(1), PAIR_TIMEOUT_NS, &error), &error,
         "alice's push");
    expect_hers(shipped_library_try_push(his, SHELF(2), PAIR_TIMEOUT_NS, &error), &error);
    expect_hers(shipped_library_try_push(his, SHELF(1), PAIR_TIMEOUT_NS, &error), &error);
    expect_hers(shipped_library_try_withdraw(his, SHELF(1), &error), &error);
    assert_int_equal(borrow(his).version, 1); /* he may use it */
    pair_pause(&p);
    assert_int_equal(tc_library_list(p.target, &info, 1), 1);
    assert_string_equal(info.owner, "cert:CN=alice");
    pair_resume(&p);
    again = pair_connect(&p); /* her identity is the same by any connection */
    must(shipped_library_try_push(again, SHELF(2), PAIR_TIMEOUT_NS, &error), &error,
         "alice's other connection");
    assert_int_equal(borrow(his).version, 2);
    must(shipped_library_try_withdraw(p.ep, SHELF(2), &error), &error, "withdrawal");
    must(shipped_library_try_push(his, SHELF(1), PAIR_TIMEOUT_NS, &error), &error,
         "bob's push"); /* the name is free */
    assert_status(shipped_library_try_push(p.ep, SHELF(2), PAIR_TIMEOUT_NS, &error),
                  TC_E_REFUSED);
    assert_int_equal(borrow(p.ep).version, 1);
    tc_context_destroy(ctx);
    pair_close(&p);
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
    certificate_make(folder, &(certificate_spec){.name = "ca"});
    certificate_make(folder, &(certificate_spec){.name = "node", .issuer = "ca"});
    certificate_make(folder, &(certificate_spec){.name = "alice", .issuer = "ca"});
    certificate_make(folder, &(certificate_spec){.name = "bob", .issuer = "ca"});
    return 0;
}

int main(void)
{
    return test_run(make_folder, remove_folder);
}
