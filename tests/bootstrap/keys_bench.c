#include "keys_bench.h"
#include "../support/test.h"

#include <errno.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <tc/options.h>
#include <unistd.h>

int keys_bench_set_up(void **state)
{
    keys_bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        return -1;
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/tchains-keys-XXXXXX");
    if (mkdtemp(b->folder) == NULL)
        return -1;
    *state = b;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
    (void)st, (void)kind, (void)walk;
    return remove(path);
}

static void hang_up(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void close_tap(keys_tap *tap)
{
    if (tap == NULL)
        return;
    hang_up(&tap->listening);
    hang_up(&tap->near);
    hang_up(&tap->far);
    free(tap);
}

void keys_bench_reset(keys_bench *b)
{
    tci_stream_close(b->near);
    tci_stream_close(b->far);
    b->near = b->far = NULL;
    b->turned_away = 0;
    hang_up(&b->tap->near);
    hang_up(&b->tap->far);
    memset(b->tap->passed, 0, sizeof b->tap->passed);
}

int keys_bench_tear_down(void **state)
{
    keys_bench *b = *state;
    tci_stream_close(b->near);
    tci_stream_close(b->far);
    tci_stream_listener_close(b->listener);
    close_tap(b->tap);
    tci_credentials_fini(&b->here);
    tci_credentials_fini(&b->there);
    (void)nftw(b->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(b);
    return 0;
}

/* --- credentials ------------------------------------------------------------------------- */

static tc_options *options(void)
{
    tc_options *opts;
    assert_ok(tc_options_create(&opts, NULL));
    return opts;
}

static void set_file(tc_options *opts, const keys_bench *b, const char *option,
                     const char *name, const char *ending)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s%s", b->folder, name, ending);
    assert_ok(tc_options_set(opts, option, path, NULL));
}

tc_status keys_bench_load_key(keys_bench *b, tci_credentials *which, const char *file,
                              tc_error *err)
{
    tc_options *opts = options();
    set_file(opts, b, "key_file", file, "");
    tc_status status = tci_credentials_load(opts, which, err);
    tc_options_destroy(opts);
    return status;
}

tc_status keys_bench_load_certificate(keys_bench *b, tci_credentials *which, const char *ca,
                                      const char *name, tc_error *err)
{
    tc_options *opts = options();
    set_file(opts, b, "tls_ca", ca, ".pem");
    set_file(opts, b, "tls_cert", name, ".pem");
    set_file(opts, b, "tls_key", name, ".key");
    tc_status status = tci_credentials_load(opts, which, err);
    tc_options_destroy(opts);
    return status;
}

void keys_bench_load_nothing(tci_credentials *which, const char *local_users)
{
    tc_options *opts = options();
    assert_ok(tc_options_set(opts, "local_users", local_users, NULL));
    assert_ok(tci_credentials_load(opts, which, NULL));
    tc_options_destroy(opts);
}

/* --- the man in the middle --------------------------------------------------------------- */

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

int keys_bench_raw(keys_bench *b)
{
    struct sockaddr_in to = loopback(tci_stream_listener_port(b->listener));
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

void keys_bench_tap(keys_bench *b)
{
    struct sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    b->tap = calloc(1, sizeof *b->tap);
    assert_non_null(b->tap);
    b->tap->near = b->tap->far = -1;
    b->tap->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(b->tap->listening, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(b->tap->listening, 4), 0);
    assert_int_equal(getsockname(b->tap->listening, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(b->tap->address, sizeof b->tap->address, "127.0.0.1:%u", ntohs(at.sin_port));
}

static void keep(keys_tap *tap, const uint8_t *bytes, size_t size)
{
    size_t room = sizeof tap->kept - tap->kept_size;
    size = size < room ? size : room;
    memcpy(tap->kept + tap->kept_size, bytes, size);
    tap->kept_size += size;
}

/* Returns how many of the bytes go on. */
static size_t do_deed(keys_tap *tap, bool to_far, uint8_t *bytes, size_t size)
{
    const size_t before = tap->passed[to_far];
    tap->passed[to_far] += size;
    if (tap->to_far != to_far || tap->at < before || tap->at >= before + size)
        return size;
    if (tap->deed == KEYS_FLIP)
        bytes[tap->at - before] ^= 1;
    return tap->deed == KEYS_CUT ? tap->at - before : size;
}

static void pass_on(keys_tap *tap, int from, int to)
{
    uint8_t bytes[4096];
    ssize_t n = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0)
        (void)shutdown(to, SHUT_WR);
    if (n <= 0)
        return;
    if (from == tap->far)
        keep(tap, bytes, (size_t)n);
    if (from == tap->far && tap->flip)
        bytes[n - 1] ^= 1;
    size_t size = do_deed(tap, from == tap->near, bytes, (size_t)n);
    (void)send(to, bytes, size, MSG_NOSIGNAL);
    if (size < (size_t)n) {
        (void)shutdown(tap->near, SHUT_RDWR);
        (void)shutdown(tap->far, SHUT_RDWR);
    }
}

static void turn_tap(keys_bench *b)
{
    keys_tap *tap = b->tap;
    if (tap == NULL)
        return;
    if (tap->far < 0 && (tap->far = accept(tap->listening, NULL, NULL)) >= 0 && !tap->reflect)
        tap->near = keys_bench_raw(b);
    if (tap->far >= 0)
        pass_on(tap, tap->far, tap->reflect ? tap->far : tap->near);
    if (tap->near >= 0)
        pass_on(tap, tap->near, tap->far);
}

/* --- connecting -------------------------------------------------------------------------- */

void keys_bench_listen(keys_bench *b)
{
    assert_ok(tci_stream_listen("127.0.0.1:0", false, &b->here, &b->listener, NULL));
    (void)snprintf(b->address, sizeof b->address, "127.0.0.1:%u",
                   tci_stream_listener_port(b->listener));
}

void keys_bench_turn(keys_bench *b)
{
    tci_stream *stream = NULL;
    tc_error error = {0};
    turn_tap(b);
    tc_status status = tci_stream_accept(b->listener, &stream, &error);
    if (status == TC_OK && b->near == NULL)
        b->near = stream;
    else if (status == TC_OK)
        tci_stream_close(stream);
    if (status == TC_E_REFUSED) {
        b->near_error = error;
        b->turned_away++;
    }
}

static void rest(void)
{
    (void)poll(NULL, 0, 1);
}

tc_status keys_bench_connect(keys_bench *b, const char *host)
{
    char address[128];
    const char *at = strrchr(b->tap != NULL ? b->tap->address : b->address, ':');
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    (void)snprintf(address, sizeof address, "%s%s", host, at);
    assert_ok(tci_stream_connect_start(address, &b->there, &b->far, NULL));
    tc_status status;
    for (;;) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        keys_bench_turn(b);
        status = tci_stream_connect_finish(b->far, &b->far_error);
        if (status != TC_E_AGAIN && (status != TC_OK || b->near != NULL))
            break;
        rest();
    }
    for (unsigned i = 0; i < 50 && status != TC_OK; i++) { /* the listener's part of it */
        keys_bench_turn(b);
        rest();
    }
    return status;
}

tc_status keys_bench_receive(keys_bench *b, tci_stream *stream, tc_error *err)
{
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    tci_hello_kind kind;
    const void *bytes;
    size_t size;
    tc_status status;
    while ((status = tci_stream_receive(stream, &kind, &bytes, &size, err)) == TC_E_AGAIN) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        keys_bench_turn(b);
        rest();
    }
    return status;
}

void keys_bench_exchange(keys_bench *b)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    tc_error error;
    assert_ok(tci_hello_refuse_encode(TC_E_REFUSED, "text", bytes, sizeof bytes, &size));
    assert_ok(tci_stream_send(b->far, bytes, size, NULL));
    assert_ok(keys_bench_receive(b, b->near, &error));
    assert_ok(tci_stream_send(b->near, bytes, size, NULL));
    assert_ok(keys_bench_receive(b, b->far, &error));
}
