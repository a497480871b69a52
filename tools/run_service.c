/* Requests are packets on one Unix socket, served by an epoll loop. Addresses are kept by round
 * and rank. A lookup that may wait for a rank is answered when that rank publishes or
 * ends. */
#include "run_service.h"

#include "bootstrap/run_protocol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define STRANGERS_MAX 32u /* connections in addition to one for each process */
#define COMPLAINTS_MAX 3u /* about unauthenticated peers, on standard error */
#define HOW_MAX 80
#define LISTENER UINT32_MAX /* in an event, instead of a connection's index */

typedef struct address {
    uint8_t *bytes; /* NULL: not published */
    size_t size;
} address;

typedef struct connection {
    int fd;          /* -1: none */
    int known;       /* has shown the secret */
    int watching;    /* for processes that end */
    uint64_t number; /* counts up: the oldest has the lowest */
    int waiting;     /* for the address of `wanted` in `round` */
    uint32_t round;
    uint32_t wanted;
} connection;

struct run_service {
    int listen_fd;
    int epoll_fd;
    uint32_t size;
    char name[RUN_SERVICE_NAME_MAX];
    uint8_t secret[TCI_RUN_SECRET_BYTES];
    char secret_text[RUN_SERVICE_SECRET_MAX];
    char (*ended)[HOW_MAX];             /* by rank; empty: still running */
    bool *serves;                       /* by rank */
    address *rounds[TCI_RUN_ROUND_MAX]; /* each of `size`; NULL: not begun */
    uint32_t connection_count;
    connection *connections;
    uint64_t accepted;
    unsigned complaints;
};

/* --- making and ending -------------------------------------------------------------------- */

const char *run_service_name(const run_service *service)
{
    return service->name;
}

const char *run_service_secret(const run_service *service)
{
    return service->secret_text;
}

int run_service_fd(const run_service *service)
{
    return service->epoll_fd;
}

static int watch(const run_service *s, int fd, uint32_t index)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
    return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Binds without a name, so that the kernel chooses an abstract one: a zero byte and some
 * digits. */
static int start_listening(run_service *s)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    socklen_t size = sizeof own;
    s->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listen_fd < 0 ||
        bind(s->listen_fd, (const struct sockaddr *)&own, sizeof own.sun_family) != 0 ||
        listen(s->listen_fd, SOMAXCONN) != 0 ||
        getsockname(s->listen_fd, (struct sockaddr *)&own, &size) != 0)
        return 0;
    size_t name = size - offsetof(struct sockaddr_un, sun_path);
    if (name < 2 || name >= sizeof s->name)
        return 0;
    memcpy(s->name, own.sun_path, name);
    s->name[0] = '@';
    return watch(s, s->listen_fd, LISTENER);
}

static int draw_secret(run_service *s)
{
    if (getrandom(s->secret, sizeof s->secret, 0) != sizeof s->secret)
        return 0;
    for (size_t i = 0; i < sizeof s->secret; i++)
        (void)snprintf(s->secret_text + 2 * i, 3, "%02x", s->secret[i]);
    return 1;
}

run_service *run_service_open(uint32_t size)
{
    run_service *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->size = size;
    s->listen_fd = -1;
    s->connection_count = size + STRANGERS_MAX;
    s->connections = calloc(s->connection_count, sizeof *s->connections);
    s->ended = calloc(size, sizeof *s->ended);
    s->serves = calloc(size, sizeof *s->serves);
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    for (uint32_t i = 0; s->connections != NULL && i < s->connection_count; i++)
        s->connections[i].fd = -1;
    if (s->connections == NULL || s->ended == NULL || s->serves == NULL || s->epoll_fd < 0 ||
        !start_listening(s) || !draw_secret(s)) {
        fprintf(stderr, "tc-run: cannot listen: %s\n", strerror(errno));
        run_service_close(s);
        return NULL;
    }
    return s;
}

/* Erases the bytes, which may contain the job's key. */
static void forget(address *published)
{
    if (published->bytes != NULL)
        explicit_bzero(published->bytes, published->size);
    free(published->bytes);
}

void run_service_close(run_service *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; s->connections != NULL && i < s->connection_count; i++) {
        if (s->connections[i].fd >= 0)
            (void)close(s->connections[i].fd);
    }
    for (uint32_t round = 0; round < TCI_RUN_ROUND_MAX; round++) {
        for (uint32_t rank = 0; s->rounds[round] != NULL && rank < s->size; rank++)
            forget(&s->rounds[round][rank]);
        free(s->rounds[round]);
    }
    if (s->listen_fd >= 0)
        (void)close(s->listen_fd);
    if (s->epoll_fd >= 0)
        (void)close(s->epoll_fd);
    free(s->connections);
    free(s->ended);
    free(s->serves);
    free(s);
}

/* --- answers ------------------------------------------------------------------------------ */

static void hang_up(connection *c)
{
    (void)close(c->fd);
    c->fd = -1;
}

static void complain(run_service *s, const char *what)
{
    if (s->complaints++ < COMPLAINTS_MAX)
        fprintf(stderr, "tc-run: dropped an unauthenticated connection: %s\n", what);
}

/* Sends an answer. A process that does not read its answer is disconnected. */
static void answer(connection *c, const tci_run_reply *reply)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    size_t size = tci_run_reply_encode(reply, packet);
    c->waiting = 0;
    if (send(c->fd, packet, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        hang_up(c);
}

static void refuse(connection *c, uint32_t rank, tc_status status, const char *text)
{
    const tci_run_reply reply = {.kind = TCI_RUN_REFUSAL,
                                 .rank = rank,
                                 .status = status,
                                 .bytes = (const uint8_t *)text,
                                 .size = strlen(text)};
    answer(c, &reply);
}

/* Answers the question of `c` if that can be done now. */
static void try_answer(run_service *s, connection *c)
{
    char text[HOW_MAX + 80];
    uint32_t rank = c->wanted;
    const address *found = s->rounds[c->round - 1];
    if (found != NULL && found[rank].bytes != NULL) {
        const tci_run_reply reply = {.kind = TCI_RUN_ADDRESS,
                                     .rank = rank,
                                     .bytes = found[rank].bytes,
                                     .size = found[rank].size};
        answer(c, &reply);
    } else if (s->ended[rank][0] != '\0') {
        (void)snprintf(text, sizeof text, "rank %u %s before it joined", rank, s->ended[rank]);
        refuse(c, rank, TC_E_PEER_LOST, text);
    }
}

static void answer_waiting(run_service *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->connection_count; i++) {
        connection *c = &s->connections[i];
        if (c->fd >= 0 && c->waiting && c->wanted == rank)
            try_answer(s, c);
    }
}

static void report_end(run_service *s, connection *c, uint32_t rank)
{
    char text[HOW_MAX + 16];
    (void)snprintf(text, sizeof text, "its process %s", s->ended[rank]);
    refuse(c, rank, TC_E_PEER_LOST, text);
}

void run_service_member_ended(run_service *s, uint32_t rank, const char *how)
{
    (void)snprintf(s->ended[rank], HOW_MAX, "%s", how);
    answer_waiting(s, rank);
    for (uint32_t i = 0; i < s->connection_count; i++) {
        if (s->connections[i].fd >= 0 && s->connections[i].watching)
            report_end(s, &s->connections[i], rank);
    }
}

/* --- requests ----------------------------------------------------------------------------- */

static void publish(run_service *s, connection *c, const tci_run_request *request)
{
    address **round = &s->rounds[request->round - 1];
    if (*round == NULL)
        *round = calloc(s->size, sizeof **round);
    uint8_t *bytes = malloc(request->address_size);
    if (*round == NULL || bytes == NULL) {
        free(bytes);
        refuse(c, request->rank, TC_E_NO_MEMORY, "tc-run is out of memory");
        return;
    }
    address *own = &(*round)[request->rank];
    if (own->bytes != NULL) {
        free(bytes);
        refuse(c, request->rank, TC_E_IN_USE, "another process has joined with this rank");
        return;
    }
    memcpy(bytes, request->address, request->address_size);
    *own = (address){.bytes = bytes, .size = request->address_size};
    const tci_run_reply reply = {.kind = TCI_RUN_DONE, .rank = request->rank};
    answer(c, &reply);
    answer_waiting(s, request->rank);
}

static void look_up(run_service *s, connection *c, const tci_run_request *request)
{
    char text[64];
    c->round = request->round;
    c->wanted = request->wanted;
    c->waiting = 1;
    try_answer(s, c);
    if (c->fd < 0 || !c->waiting || request->wait)
        return;
    (void)snprintf(text, sizeof text, "rank %u has not joined", request->wanted);
    refuse(c, request->wanted, TC_E_TIMEOUT, text);
}

static void begin_watching(run_service *s, connection *c)
{
    c->watching = 1;
    for (uint32_t rank = 0; rank < s->size && c->fd >= 0; rank++) {
        if (s->ended[rank][0] != '\0')
            report_end(s, c, rank);
    }
}

static void note_server(run_service *s, connection *c, uint32_t rank)
{
    const tci_run_reply reply = {.kind = TCI_RUN_DONE, .rank = rank};
    s->serves[rank] = true;
    answer(c, &reply);
}

bool run_service_member_serves(const run_service *s, uint32_t rank)
{
    return s->serves[rank];
}

static int has_secret(const run_service *s, const tci_run_request *request)
{
    unsigned differs = 0;
    for (size_t i = 0; i < sizeof s->secret; i++) /* all bytes, wherever they differ first */
        differs |= s->secret[i] ^ request->secret[i];
    return differs == 0;
}

static void serve_request(run_service *s, connection *c, const uint8_t *packet, size_t size)
{
    tci_run_request request;
    tc_error err;
    tc_status status = tci_run_request_decode(packet, size, &request, &err);
    if (status == TC_OK && !has_secret(s, &request))
        status = TC_E_REFUSED;
    if (status != TC_OK) {
        complain(s, status == TC_E_REFUSED ? "it lacks the secret" : err.text);
        if (status == TC_E_VERSION) /* the answer contains this side's version */
            refuse(c, 0, status, err.text);
        if (c->fd >= 0)
            hang_up(c);
        return;
    }
    c->known = 1;
    if (request.rank >= s->size ||
        (request.kind == TCI_RUN_LOOKUP && request.wanted >= s->size))
        refuse(c, request.kind == TCI_RUN_LOOKUP ? request.wanted : request.rank, TC_E_INVALID,
               "no such rank");
    else if (request.kind == TCI_RUN_PUBLISH)
        publish(s, c, &request);
    else if (request.kind == TCI_RUN_WATCH)
        begin_watching(s, c);
    else if (request.kind == TCI_RUN_SERVE)
        note_server(s, c, request.rank);
    else
        look_up(s, c, &request);
}

static void serve_connection(run_service *s, connection *c)
{
    uint8_t packet[TCI_RUN_PACKET_MAX];
    if (c->fd < 0) /* closed in this very iteration, for a new connection */
        return;
    ssize_t n = recv(c->fd, packet, sizeof packet, MSG_TRUNC | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        hang_up(c);
    } else if ((size_t)n > sizeof packet) {
        complain(s, "it sent too much");
        hang_up(c);
    } else {
        serve_request(s, c, packet, (size_t)n);
    }
}

/* Returns a free slot, else the slot of the oldest connection that has not shown the secret or
 * only watches, which is closed. NULL: there is none. */
static connection *find_place(run_service *s)
{
    connection *oldest = NULL;
    for (uint32_t i = 0; i < s->connection_count; i++) {
        connection *c = &s->connections[i];
        if (c->fd < 0)
            return c;
        if ((!c->known || c->watching) && (oldest == NULL || c->number < oldest->number))
            oldest = c;
    }
    if (oldest != NULL)
        hang_up(oldest);
    return oldest;
}

static void accept_one(run_service *s)
{
    struct ucred who = {.uid = (uid_t)-1};
    socklen_t size = sizeof who;
    int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    connection *place = NULL;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.uid != geteuid())
        complain(s, "it is of another user");
    else
        place = find_place(s);
    if (place == NULL || !watch(s, fd, (uint32_t)(place - s->connections))) {
        (void)close(fd);
        return;
    }
    *place = (connection){.fd = fd, .number = s->accepted++};
}

void run_service_serve(run_service *s)
{
    struct epoll_event events[32];
    int n = epoll_wait(s->epoll_fd, events, sizeof events / sizeof events[0], 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u32 == LISTENER)
            accept_one(s);
        else
            serve_connection(s, &s->connections[events[i].data.u32]);
    }
}
