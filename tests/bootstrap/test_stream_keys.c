/* Streams between two sides with keys or certificates: accepted and refused peers, and the
 * reasons. */
#include "../support/test.h"
#include "keys_bench.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_authority(keys_bench *b, const char *name)
{
    certificate_make(b->folder, &(certificate_spec){.name = name});
}

static void load_key(keys_bench *b, tci_credentials *which, const char *name, unsigned seed)
{
    char file[32];
    tc_error error = {0};
    (void)snprintf(file, sizeof file, "%s-%u", name, seed);
    certificate_make_key(b->folder, file, name, seed);
    tc_status status = keys_bench_load_key(b, which, file, &error);
    assert_string_equal(error.text, "");
    assert_ok(status);
}

static void load_certificate(keys_bench *b, tci_credentials *which, const char *ca,
                             const certificate_spec *spec)
{
    tc_error error = {0};
    certificate_make(b->folder, spec);
    tc_status status = keys_bench_load_certificate(b, which, ca, spec->name, &error);
    assert_string_equal(error.text, "");
    assert_ok(status);
}

/* Both sides are refused, and both report the reason. */
static void expect_refusal(keys_bench *b, const char *far_text, const char *near_text)
{
    keys_bench_listen(b);
    tc_status status = keys_bench_connect(b, "127.0.0.1");
    assert_true(status == TC_E_REFUSED || status == TC_E_VERSION);
    assert_text_has(b->far_error.text, far_text);
    assert_text_has(b->near_error.text, near_text);
    assert_int_equal(b->turned_away, 1);
    assert_null(b->near);
    assert_string_equal(tci_stream_identity(b->far), "");
}

/* --- accepted peers ---------------------------------------------------------------------- */

KEYS_TEST(the_same_key_connects)
{
    keys_bench *b = *state;
    load_key(b, &b->here, "cluster", 1);
    load_key(b, &b->there, "cluster", 1);
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    assert_string_equal(tci_stream_identity(b->near), "key:cluster");
    assert_string_equal(tci_stream_identity(b->far), "key:cluster");
    keys_bench_exchange(b);
    keys_bench_exchange(b);
}

KEYS_TEST(certificates_of_one_authority_connect)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node1", .issuer = "ca"});
    load_certificate(b, &b->there, "ca",
                     &(certificate_spec){
                         .name = "node2", .issuer = "ca", .purpose = "clientAuth,serverAuth"});
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    assert_string_equal(tci_stream_identity(b->near), "cert:CN=node2");
    assert_string_equal(tci_stream_identity(b->far), "cert:CN=node1");
    keys_bench_exchange(b);
}

/* A name with characters that could break a line of log, move a cursor, or pass for another
 * name. */
KEYS_TEST(an_identity_is_printable_and_its_own)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node1", .issuer = "ca"});
    load_certificate(b, &b->there, "ca",
                     &(certificate_spec){.name = "odd",
                                         .issuer = "ca",
                                         .common_name = "a\nb\x1b[31m,CN=root\\0A"});
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    assert_string_equal(tci_stream_identity(b->near), "cert:CN=a\\0Ab\\1B[31m\\,CN=root\\\\0A");
}

KEYS_TEST(a_certificate_may_be_bound_to_hosts)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(
        b, &b->here, "ca",
        &(certificate_spec){.name = "node1", .issuer = "ca", .hosts = "DNS:localhost"});
    load_certificate(b, &b->there, "ca", &(certificate_spec){.name = "node2", .issuer = "ca"});
    keys_bench_listen(b);
    assert_status(keys_bench_connect(b, "127.0.0.1"), TC_E_REFUSED);
    assert_text_has(b->far_error.text, "bound to other hosts than '127.0.0.1'");
    tci_stream_close(b->far);
    tci_stream_close(b->near);
    b->far = b->near = NULL;
    assert_ok(keys_bench_connect(b, "localhost"));
}

KEYS_TEST(one_of_several_keys_is_enough)
{
    keys_bench *b = *state;
    tc_error error = {0};
    char path[128];
    load_key(b, &b->there, "new", 2);
    certificate_make_key(b->folder, "both", "old", 1);
    (void)snprintf(path, sizeof path, "cat %s/new-2 >> %s/both", b->folder, b->folder);
    assert_int_equal(system(path), 0);
    assert_ok(keys_bench_load_key(b, &b->here, "both", &error));
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    assert_string_equal(tci_stream_identity(b->near), "key:new");
}

KEYS_TEST(users_are_told_by_the_kernel)
{
    keys_bench *b = *state;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "uid:%u", geteuid());
    keys_bench_load_nothing(&b->here, "own");
    keys_bench_load_nothing(&b->there, "own");
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    assert_string_equal(tci_stream_identity(b->near), expected);
    assert_string_equal(tci_stream_identity(b->far), expected);
}

/* --- refused peers ----------------------------------------------------------------------- */

KEYS_TEST(another_key_of_the_name_is_refused)
{
    keys_bench *b = *state;
    load_key(b, &b->here, "cluster", 1);
    load_key(b, &b->there, "cluster", 2);
    expect_refusal(b, "its key of the name of this side's, key:cluster, is another",
                   "its key of the name of this side's, key:cluster, is another");
}

KEYS_TEST(a_key_of_another_name_is_refused)
{
    keys_bench *b = *state;
    load_key(b, &b->here, "cluster", 1);
    load_key(b, &b->there, "other", 1);
    expect_refusal(b, "it has no key of the name of this side's, key:other",
                   "its key is named 'other'");
}

KEYS_TEST(another_authority_is_refused)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    make_authority(b, "elsewhere");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node1", .issuer = "ca"});
    load_certificate(b, &b->there, "ca",
                     &(certificate_spec){.name = "node2", .issuer = "elsewhere"});
    expect_refusal(b, "it did not take this side, cert:CN=node2: unknown CA",
                   "its certificate (CN=node2): unable to get local issuer certificate; "
                   "expected one that CN=ca has signed");
}

KEYS_TEST(a_listener_of_another_authority_is_refused)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    make_authority(b, "elsewhere");
    load_certificate(b, &b->here, "ca",
                     &(certificate_spec){.name = "node1", .issuer = "elsewhere"});
    load_certificate(b, &b->there, "ca", &(certificate_spec){.name = "node2", .issuer = "ca"});
    expect_refusal(b, "expected one that CN=ca has signed", "unknown CA");
}

KEYS_TEST(an_expired_certificate_is_refused)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node1", .issuer = "ca"});
    load_certificate(b, &b->there, "ca",
                     &(certificate_spec){.name = "node2",
                                         .issuer = "ca",
                                         .begins = -30 * CERTIFICATES_DAY,
                                         .ends = -CERTIFICATES_DAY});
    expect_refusal(b, "certificate expired", "UTC, and the clock here says ");
    assert_text_has(b->near_error.text, "its certificate (CN=node2) is valid from ");
}

/* The look of a clock that is late. */
KEYS_TEST(a_certificate_of_tomorrow_is_refused)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(
        b, &b->here, "ca",
        &(certificate_spec){.name = "node1", .issuer = "ca", .begins = CERTIFICATES_DAY});
    load_certificate(b, &b->there, "ca", &(certificate_spec){.name = "node2", .issuer = "ca"});
    expect_refusal(b, "UTC, and the clock here says ", "it did not take this side");
}

static char warnings[2048];

static void keep_warning(void *user, tc_log_level level, const char *line)
{
    const size_t used = strlen(warnings);
    (void)user;
    if (level == TC_LOG_WARN)
        (void)snprintf(warnings + used, sizeof warnings - used, "%s\n", line);
}

/* In time to make another one: its own side when it starts, and its peers. */
KEYS_TEST(the_end_of_a_certificate_is_announced)
{
    keys_bench *b = *state;
    warnings[0] = '\0';
    tc_log_set_sink(keep_warning, NULL);
    tc_log_set_level(TC_LOG_WARN);
    make_authority(b, "ca");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node1", .issuer = "ca"});
    assert_string_equal(warnings, "");
    load_certificate(
        b, &b->there, "ca",
        &(certificate_spec){.name = "node2", .issuer = "ca", .ends = 10 * CERTIFICATES_DAY});
    assert_text_has(warnings, "tls_cert: the certificate of CN=node2 is valid from ");
    warnings[0] = '\0';
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    tc_log_set_sink(NULL, NULL);
    tc_log_set_level(TC_LOG_ERROR);
    assert_text_has(warnings, ": the certificate of CN=node2 is valid from ");
    assert_null(strstr(warnings, "CN=node1"));
    keys_bench_exchange(b);
}

KEYS_TEST(a_certificate_for_servers_is_no_clients)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node1", .issuer = "ca"});
    load_certificate(
        b, &b->there, "ca",
        &(certificate_spec){.name = "node2", .issuer = "ca", .purpose = "serverAuth"});
    expect_refusal(b, "it did not take this side", "unsuitable certificate purpose");
}

KEYS_TEST(a_certificate_is_no_key)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(b, &b->there, "ca", &(certificate_spec){.name = "node2", .issuer = "ca"});
    load_key(b, &b->here, "cluster", 1);
    expect_refusal(b, "or a key instead (key_file)", "it offers no key that this side has");
}

KEYS_TEST(a_key_is_no_certificate)
{
    keys_bench *b = *state;
    make_authority(b, "ca");
    load_certificate(b, &b->here, "ca", &(certificate_spec){.name = "node2", .issuer = "ca"});
    load_key(b, &b->there, "cluster", 1);
    expect_refusal(b, "and this side has a key (key_file): both need the same", "unknown CA");
}

KEYS_TEST(clear_text_to_a_listener_with_keys_is_told)
{
    keys_bench *b = *state;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    char answer[1024] = "";
    size_t size;
    load_key(b, &b->here, "cluster", 1);
    keys_bench_listen(b);
    int fd = keys_bench_raw(b);
    assert_ok(tci_hello_refuse_encode(TC_E_REFUSED, "any", bytes, sizeof bytes, &size));
    assert_int_equal(send(fd, bytes, size, 0), size);
    while (b->turned_away == 0)
        keys_bench_turn(b);
    assert_text_has(b->near_error.text, "speaks clear text, and keys are expected here");
    assert_true(recv(fd, answer, sizeof answer - 1, 0) > 16);
    assert_text_has(answer + 20, "keys are expected here");
    (void)close(fd);
}

KEYS_TEST(keys_to_a_listener_of_clear_text_are_told)
{
    keys_bench *b = *state;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    tc_error error = {0};
    keys_bench_load_nothing(&b->here, "own");
    load_key(b, &b->there, "cluster", 1);
    keys_bench_listen(b);
    assert_ok(tci_stream_connect_start(b->address, &b->there, &b->far, NULL));
    while (b->near == NULL || tci_stream_connect_finish(b->far, NULL) != TC_E_AGAIN)
        keys_bench_turn(b);
    assert_status(keys_bench_receive(b, b->near, &error), TC_E_VERSION);
    assert_text_has(error.text, "it speaks TLS, and no keys are set here");
    assert_ok(tci_hello_refuse_encode(error.status, error.text, bytes, sizeof bytes, &size));
    assert_ok(tci_stream_send(b->near, bytes, size, NULL));
    tc_status status;
    while ((status = tci_stream_connect_finish(b->far, &error)) == TC_E_AGAIN)
        keys_bench_turn(b);
    assert_status(status, TC_E_REFUSED);
    assert_text_has(error.text, "answers in clear text, and keys are set here");
}

/* --- other users ------------------------------------------------------------------------- */

#define OTHER_USER 12345

/* A process of another user, that connects to the port, or that listens: then its port comes
 * back. It stays until the gate is closed. */
static pid_t start_other(uint16_t port, int gate[2], uint16_t *port_out)
{
    int told[2];
    assert_int_equal(pipe(gate) + pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons(port),
                                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t size = sizeof at;
        int failed = setuid(OTHER_USER);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (port != 0)
            failed |= connect(fd, (struct sockaddr *)&at, size);
        else
            failed |= bind(fd, (struct sockaddr *)&at, size) | listen(fd, 4) |
                      getsockname(fd, (struct sockaddr *)&at, &size);
        (void)close(gate[1]);
        (void)!write(told[1], &at.sin_port, sizeof at.sin_port);
        (void)!read(gate[0], &at, 1);
        _exit(failed != 0);
    }
    assert_int_equal(read(told[0], port_out, sizeof *port_out), sizeof *port_out);
    *port_out = ntohs(*port_out);
    (void)close(gate[0]);
    (void)close(told[0]);
    (void)close(told[1]);
    return child;
}

static void end_other(pid_t child, const int gate[2])
{
    int status;
    (void)close(gate[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

KEYS_TEST(another_users_process_is_refused)
{
    keys_bench *b = *state;
    int gate[2];
    uint16_t port;
    if (geteuid() != 0)
        skip();
    keys_bench_load_nothing(&b->here, "own");
    keys_bench_listen(b);
    pid_t child = start_other(tci_stream_listener_port(b->listener), gate, &port);
    while (b->turned_away == 0 && b->near == NULL)
        keys_bench_turn(b);
    assert_text_has(b->near_error.text, "is a process of user 12345, expected user 0 or root");
    end_other(child, gate);
    keys_bench_load_nothing(&b->here, "any");
    child = start_other(tci_stream_listener_port(b->listener), gate, &port);
    while (b->near == NULL)
        keys_bench_turn(b);
    assert_int_equal(b->turned_away, 1);
    assert_string_equal(tci_stream_identity(b->near), "uid:12345");
    end_other(child, gate);
}

/* Or it would receive data that only this user's processes should know, and could send code
 * back. */
KEYS_TEST(another_users_listener_is_refused)
{
    keys_bench *b = *state;
    int gate[2];
    uint16_t port;
    char address[32];
    if (geteuid() != 0)
        skip();
    keys_bench_load_nothing(&b->there, "own");
    pid_t child = start_other(0, gate, &port);
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", port);
    tc_status status = tci_stream_connect_start(address, &b->there, &b->far, &b->far_error);
    while (status == TC_OK &&
           (status = tci_stream_connect_finish(b->far, &b->far_error)) == TC_E_AGAIN)
        status = TC_OK;
    assert_status(status, TC_E_REFUSED);
    assert_text_has(b->far_error.text, "is served by user 12345, expected user 0 or root");
    end_other(child, gate);
}
