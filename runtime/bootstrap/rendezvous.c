/* The rendezvous under tc-run, and the choice between it and the PMIx module. */
#include "rendezvous.h"

#include "base/clock.h"
#include "base/content_id.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/module_file.h"
#include "run_protocol.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define RETRY_MS 5 /* when tc-run's queue of connections is full */
#define PUBLISH_TRIES 10u
#define ANSWER_NS (10 * TCI_NS_PER_S) /* for requests that tc-run answers at once */

_Static_assert(TCI_RUN_ADDRESS_MAX == TCI_RENDEZVOUS_ADDRESS_MAX, "tc-run carries what fits");
_Static_assert(TCI_RUN_NAME_MAX + 1 == TCI_RENDEZVOUS_PROGRAM_MAX, "of a program's name");

struct tci_rendezvous {
    int fd;
    tci_run_request request; /* secret, round and rank of all requests */
    uint8_t packet[TCI_RUN_PACKET_MAX];
};

/* --- the environment ---------------------------------------------------------------------- */

static tc_status read_number(const char *name, uint32_t max, uint32_t *value_out, tc_error *err)
{
    const char *text = secure_getenv(name);
    char *end;
    if (text == NULL)
        return tci_error_set(err, TC_E_INVALID,
                             "environment: " TCI_RUN_ENV_SOCKET " is set, but not %s", name);
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > max)
        return tci_error_set(err, TC_E_INVALID,
                             "environment: %s='%.40s', expected a number up to %u", name, text,
                             max);
    *value_out = (uint32_t)value;
    return TC_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the secret, and keeps its text out of the error's. */
static tc_status read_secret(uint8_t secret_out[TCI_RUN_SECRET_BYTES], tc_error *err)
{
    const char *text = secure_getenv(TCI_RUN_ENV_SECRET);
    bool ok = text != NULL && strlen(text) == 2 * TCI_RUN_SECRET_BYTES;
    for (size_t i = 0; ok && i < TCI_RUN_SECRET_BYTES; i++) {
        int high = hex_digit(text[2 * i]);
        int low = hex_digit(text[2 * i + 1]);
        ok = high >= 0 && low >= 0;
        if (ok)
            secret_out[i] = (uint8_t)(high << 4 | low);
    }
    if (!ok)
        return tci_error_set(err, TC_E_INVALID,
                             "environment: " TCI_RUN_ENV_SECRET " is not %u hex digits",
                             2 * TCI_RUN_SECRET_BYTES);
    return TC_OK;
}

/* Without names of programs neither variable is set. */
static tc_status read_program(tci_rendezvous_self *self, tc_error *err)
{
    const char *name = secure_getenv(TCI_RUN_ENV_PROGRAM_NAME);
    if (name == NULL && secure_getenv(TCI_RUN_ENV_PROGRAM) == NULL)
        return TC_OK;
    TC_TRY(read_number(TCI_RUN_ENV_PROGRAM, TCI_RUN_PROGRAM_MAX - 1, &self->program, err));
    size_t size = name != NULL ? strnlen(name, TCI_RUN_NAME_MAX + 1) : 0;
    if (!tci_run_name_is_sound(name, size))
        return tci_error_set(err, TC_E_INVALID,
                             "environment: " TCI_RUN_ENV_PROGRAM_NAME
                             "='%.64s', expected 1 to %u characters of printable ASCII",
                             name != NULL ? name : "", TCI_RUN_NAME_MAX);
    memcpy(self->program_name, name, size);
    return TC_OK;
}

static tc_status read_environment(tci_run_request *request, tci_rendezvous_self *self_out,
                                  tc_error *err)
{
    tci_rendezvous_self self = {.all_local = true};
    uint8_t hash[16];
    struct {
        uint8_t secret[TCI_RUN_SECRET_BYTES];
        uint64_t round;
    } seed = {.round = request->round};
    TC_TRY(read_number(TCI_RUN_ENV_SIZE, TCI_RUN_SIZE_MAX, &self.size, err));
    TC_TRY(read_number(TCI_RUN_ENV_RANK, TCI_RUN_SIZE_MAX, &self.rank, err));
    if (self.rank >= self.size)
        return tci_error_set(err, TC_E_INVALID,
                             "environment: rank %u of %u (" TCI_RUN_ENV_RANK
                             ", " TCI_RUN_ENV_SIZE ")",
                             self.rank, self.size);
    TC_TRY(read_program(&self, err));
    TC_TRY(read_secret(request->secret, err));
    request->rank = self.rank;
    /* The id travels between members, so the secret must not be derivable from it. */
    memcpy(seed.secret, request->secret, sizeof seed.secret);
    tci_hash128(&seed, sizeof seed, hash);
    memcpy(&self.id, hash, sizeof self.id);
    self.id |= 1;
    explicit_bzero(&seed, sizeof seed);
    const char *socket = secure_getenv(TCI_RUN_ENV_SOCKET);
    (void)snprintf(self.name, sizeof self.name, "tc-run-%s", socket + (socket[0] == '@'));
    *self_out = self;
    return TC_OK;
}

/* --- the connection ----------------------------------------------------------------------- */

static tc_status wait_for(int fd, short events, tci_patience *patience, tc_error *err)
{
    struct pollfd ready = {.fd = fd, .events = events};
    for (;;) {
        uint64_t left_ms = tci_deadline_left_ns(tci_patience_next_ns(patience)) / TCI_NS_PER_MS;
        int n = poll(&ready, 1, left_ms > 1000 ? 1000 : (int)left_ms);
        if (n > 0)
            return TC_OK;
        if (n < 0 && errno != EINTR)
            return tci_error_errno(err, TC_E_IO, errno, "tc-run: poll");
        if (tci_patience_is_over(patience))
            return tci_error_set(err, TC_E_TIMEOUT, "tc-run did not answer in time");
    }
}

static tc_status make_address(struct sockaddr_un *address, socklen_t *size_out, tc_error *err)
{
    const char *name = secure_getenv(TCI_RUN_ENV_SOCKET);
    size_t n = strlen(name);
    if (n < 2 || n >= sizeof address->sun_path)
        return tci_error_set(
            err, TC_E_INVALID,
            "environment: " TCI_RUN_ENV_SOCKET "='%.120s' is neither @NAME nor a path", name);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, name, n);
    if (name[0] == '@') /* an abstract name: no terminator, and every byte counts */
        address->sun_path[0] = '\0';
    *size_out = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (name[0] != '@'));
    return TC_OK;
}

/* Checks that the server is the user's own tc-run, or root's: the secret goes to no other. */
static tc_status check_server(int fd, tc_error *err)
{
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "tc-run: who it is");
    if (who.uid != geteuid() && who.uid != 0)
        return tci_error_set(err, TC_E_REFUSED,
                             "%.120s is served by user %u, expected user %u's own tc-run",
                             secure_getenv(TCI_RUN_ENV_SOCKET), who.uid, geteuid());
    return TC_OK;
}

static tc_status connect_socket(int fd, tci_patience *patience, tc_error *err)
{
    struct sockaddr_un address;
    socklen_t size;
    TC_TRY(make_address(&address, &size, err));
    while (connect(fd, (const struct sockaddr *)&address, size) != 0) {
        if (errno != EAGAIN && errno != EINTR)
            return tci_error_errno(err, TC_E_UNREACHABLE, errno,
                                   "tc-run does not listen at %.120s",
                                   secure_getenv(TCI_RUN_ENV_SOCKET));
        if (tci_patience_is_over(patience))
            return tci_error_set(err, TC_E_TIMEOUT, "tc-run does not accept connections");
        (void)poll(NULL, 0, RETRY_MS);
    }
    return check_server(fd, err);
}

/* Connects to tc-run. Closes an earlier connection first. */
static tc_status connect_to_run(tci_rendezvous *rv, tci_patience *patience, tc_error *err)
{
    if (rv->fd >= 0)
        (void)close(rv->fd);
    rv->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (rv->fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "tc-run: socket");
    return connect_socket(rv->fd, patience, err);
}

static void run_close(tci_rendezvous *rv)
{
    if (rv->fd >= 0)
        (void)close(rv->fd);
    explicit_bzero(rv, sizeof *rv); /* packets may have had the job's key */
    free(rv);
}

static tc_status run_open(uint32_t round, tci_patience *patience,
                          tci_rendezvous **rendezvous_out, tci_rendezvous_self *self_out,
                          tc_error *err)
{
    if (round > TCI_RUN_ROUND_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "this process joins for the %uth time, expected %u at most", round,
                             TCI_RUN_ROUND_MAX);
    tci_rendezvous *rv = calloc(1, sizeof *rv);
    if (rv == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "tc-run: out of memory");
    rv->request.round = round;
    rv->fd = -1;
    tc_status status = read_environment(&rv->request, self_out, err);
    if (status == TC_OK)
        status = connect_to_run(rv, patience, err);
    if (status != TC_OK) {
        run_close(rv);
        return status;
    }
    *rendezvous_out = rv;
    return TC_OK;
}

/* --- requests ----------------------------------------------------------------------------- */

static tc_status gone(int errnum, tc_error *err)
{
    if (errnum == 0 || errnum == EPIPE || errnum == ECONNRESET)
        return tci_error_set(err, TC_E_PEER_LOST, "tc-run closed the connection");
    return tci_error_errno(err, TC_E_IO, errnum, "tc-run");
}

static tc_status send_request(tci_rendezvous *rv, const tci_run_request *request,
                              tci_patience *patience, tc_error *err)
{
    size_t size = tci_run_request_encode(request, rv->packet);
    while (send(rv->fd, rv->packet, size, MSG_NOSIGNAL) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            return gone(errno, err);
        TC_TRY(wait_for(rv->fd, POLLOUT, patience, err));
    }
    return TC_OK;
}

/* Waits for the reply to a request. Skips late replies to earlier requests. */
static tc_status receive_reply(tci_rendezvous *rv, tci_run_kind kind, uint32_t rank,
                               tci_patience *patience, tci_run_reply *reply_out, tc_error *err)
{
    for (;;) {
        ssize_t n = recv(rv->fd, rv->packet, sizeof rv->packet, MSG_TRUNC);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            TC_TRY(wait_for(rv->fd, POLLIN, patience, err));
            continue;
        }
        if (n <= 0)
            return gone(n == 0 ? 0 : errno, err);
        if ((size_t)n > sizeof rv->packet)
            return tci_error_set(err, TC_E_CORRUPT, "answer of tc-run: %zd bytes", n);
        TC_TRY(tci_run_reply_decode(rv->packet, (size_t)n, reply_out, err));
        if (reply_out->rank != rank)
            continue;
        if (reply_out->kind == TCI_RUN_REFUSAL)
            return tci_error_set(err, reply_out->status, "%.*s", (int)reply_out->size,
                                 (const char *)reply_out->bytes);
        if (reply_out->kind == kind)
            return TC_OK;
    }
}

static tc_status try_publish(tci_rendezvous *rv, const tci_run_request *request,
                             tci_patience *patience, tc_error *err)
{
    tci_run_reply reply;
    TC_TRY(send_request(rv, request, patience, err));
    return receive_reply(rv, TCI_RUN_DONE, request->rank, patience, &reply, err);
}

/* Publishes the address, with a new connection where tc-run has closed the first: it may
 * replace a connection on which nothing was sent yet by another. */
static tc_status run_publish(tci_rendezvous *rv, const void *address, size_t size,
                             tci_patience *patience, tc_error *err)
{
    tci_run_request request = rv->request;
    request.kind = TCI_RUN_PUBLISH;
    request.address = address;
    request.address_size = size;
    tc_status status = try_publish(rv, &request, patience, err);
    for (unsigned i = 1; i < PUBLISH_TRIES && status == TC_E_PEER_LOST; i++) {
        TC_TRY(connect_to_run(rv, patience, err));
        status = try_publish(rv, &request, patience, err);
    }
    return status;
}

static tc_status ask(tci_rendezvous *rv, uint32_t rank, bool wait, tci_patience *patience,
                     tci_run_reply *reply_out, tc_error *err)
{
    tci_run_request request = rv->request;
    request.kind = TCI_RUN_LOOKUP;
    request.wanted = rank;
    request.wait = wait;
    TC_TRY(send_request(rv, &request, patience, err));
    return receive_reply(rv, TCI_RUN_ADDRESS, rank, patience, reply_out, err);
}

static tc_status run_lookup(tci_rendezvous *rv, uint32_t rank, tci_patience *patience,
                            uint8_t address_out[TCI_RENDEZVOUS_ADDRESS_MAX], size_t *size_out,
                            tc_error *err)
{
    tci_run_reply reply;
    tc_status status = TC_E_TIMEOUT;
    if (!tci_patience_is_over(patience))
        status = ask(rv, rank, true, patience, &reply, err);
    if (status == TC_E_TIMEOUT) {
        const uint64_t deadline_ns = patience->deadline_ns;
        patience->deadline_ns = tci_deadline_after(ANSWER_NS);
        status = ask(rv, rank, false, patience, &reply, err);
        patience->deadline_ns = deadline_ns;
    }
    TC_TRY(status);
    memcpy(address_out, reply.bytes, reply.size);
    *size_out = reply.size;
    return TC_OK;
}

static tc_status run_watch(tci_rendezvous *rv, tci_patience *patience, int *fd_out,
                           tc_error *err)
{
    tci_run_request request = rv->request;
    request.kind = TCI_RUN_WATCH;
    TC_TRY(send_request(rv, &request, patience, err));
    explicit_bzero(&rv->request, sizeof rv->request); /* it is open for long */
    explicit_bzero(rv->packet, sizeof rv->packet);
    *fd_out = rv->fd;
    return TC_OK;
}

/* Skips late replies to lookups. */
static tc_status run_next_end(tci_rendezvous *rv, uint32_t *rank_out, tc_error *why_out)
{
    tci_run_reply reply;
    tc_error err;
    for (;;) {
        const ssize_t n = recv(rv->fd, rv->packet, sizeof rv->packet, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 && errno == EAGAIN ? TC_E_AGAIN : TC_E_PEER_LOST;
        if (tci_run_reply_decode(rv->packet, (size_t)n, &reply, &err) != TC_OK ||
            reply.kind != TCI_RUN_REFUSAL || reply.status != TC_E_PEER_LOST)
            continue;
        (void)tci_error_set(why_out, TC_E_PEER_LOST, "%.*s", (int)reply.size,
                            (const char *)reply.bytes);
        *rank_out = reply.rank;
        return TC_OK;
    }
}

/* Under tc-run: a connection to the process that started this one. */
static const tci_rendezvous_ops under_run = {.abi = TCI_RENDEZVOUS_ABI,
                                             .name = "tc-run",
                                             .open = run_open,
                                             .publish = run_publish,
                                             .lookup = run_lookup,
                                             .close = run_close,
                                             .watch = run_watch,
                                             .next_end = run_next_end};

static const tci_module_file_kind pmix_module = {.what = "PMIx module",
                                                 .file = "libtchains-pmix.so",
                                                 .symbol = TCI_RENDEZVOUS_SYMBOL,
                                                 .abi = TCI_RENDEZVOUS_ABI};

static tc_status open_pmix(const char *module_path, const tci_rendezvous_ops **ops_out,
                           tc_error *err)
{
    const void *table;
    tc_status status = tci_module_file_open(&pmix_module, module_path, &table, err);
    if (status == TC_E_UNSUPPORTED)
        tci_error_prefix(err, "PMIx started this process (PMIX_RANK is set), but cannot be "
                              "used: install libpmix2 and a libtchains that was built with "
                              "libpmix-dev");
    if (status == TC_OK)
        *ops_out = table;
    return status;
}

/* Warns of a launcher that sets the number of processes without PMIx: each would be alone. */
static void warn_of_other_launchers(void)
{
    static const struct {
        const char *count;
        const char *advice;
    } launchers[] = {
        {"SLURM_STEP_NUM_TASKS", "srun offers it with --mpi=pmix"},
        {"PMI_SIZE", "this launcher speaks an older PMI"},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *count = secure_getenv(launchers[i].count);
        if (count != NULL && strtoul(count, NULL, 10) > 1)
            TC_LOG(TC_LOG_WARN, "group: %s is %.20s, but PMIx did not start this process: %s",
                   launchers[i].count, count, launchers[i].advice);
    }
}

tc_status tci_rendezvous_find(const char *module_path, const tci_rendezvous_ops **ops_out,
                              tc_error *err)
{
    *ops_out = NULL;
    if (secure_getenv(TCI_RUN_ENV_SOCKET) != NULL) {
        *ops_out = &under_run;
        return TC_OK;
    }
    if (secure_getenv("PMIX_RANK") != NULL && secure_getenv("PMIX_NAMESPACE") != NULL)
        return open_pmix(module_path, ops_out, err);
    warn_of_other_launchers();
    return TC_OK;
}
