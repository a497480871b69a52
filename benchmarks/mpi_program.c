/* tc-perf-mpi, tc-perf-mpich: a rank of the modes of MPI. tc-perf starts mpirun, and mpirun two
 * of these; programs of their own, so that tc-perf needs no MPI and its other modes share no
 * process with it. Between orders a rank sleeps in recv(2), so it costs the other modes no
 * processor. */
#include "interference.h"
#include "mpi_words.h"
#include "perf_clock.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NUMBER_BYTES sizeof(uint64_t)

typedef struct rank_state {
    int link; /* to tc-perf */
    int rank;
    mpi_order order;
    unsigned char *messages; /* one for each of the window */
    uint64_t *replies;
    uint64_t *started;
    uint64_t *ticks; /* of each round trip; NULL: not wanted */
    MPI_Request *sends;
    MPI_Request *receives;
    bool is_wrong;
} rank_state;

static atomic_bool ends; /* tc-perf has sent the order to end */

static _Noreturn void give_up(const char *what)
{
    (void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    _exit(EXIT_FAILURE);
}

/* --- the link ---------------------------------------------------------------------------- */

static void send_all(int link, const void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t sent = send(link, (const char *)bytes + at, size - at, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            give_up("tc-perf is gone");
        at += sent > 0 ? (size_t)sent : 0;
    }
}

static void receive_all(int link, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t got = recv(link, (char *)bytes + at, size - at, 0);
        if (got == 0)
            errno = EPIPE;
        if (got == 0 || (got < 0 && errno != EINTR))
            give_up("tc-perf is gone");
        at += got > 0 ? (size_t)got : 0;
    }
}

/* A rank that waits for the other one inside MPI does not look at its link; this thread, which
 * sleeps, ends the process when tc-perf is gone. */
static void *watch_link(void *user)
{
    struct pollfd wait = {.fd = *(const int *)user, .events = POLLRDHUP};
    while (poll(&wait, 1, -1) < 0 && errno == EINTR)
        ;
    if (!atomic_load(&ends))
        _exit(EXIT_FAILURE);
    return NULL;
}

static void open_link(rank_state *state, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX}; /* path[0] is 0: an abstract name */
    pthread_t watch;
    const size_t size = strlen(name);
    if (size + 1 >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        give_up("the link's name");
    }
    memcpy(address.sun_path + 1, name, size);
    state->link = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (state->link < 0 ||
        connect(state->link, (const struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size)) != 0)
        give_up("the link to tc-perf");
    errno = pthread_create(&watch, NULL, watch_link, &state->link);
    if (errno != 0)
        give_up("a thread");
    (void)pthread_detach(watch);
}

static void greet(const rank_state *state)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;
    mpi_hello hello = {.version = MPI_WORDS_VERSION, .rank = (uint64_t)state->rank};
    (void)MPI_Get_library_version(library, &size);
    library[strcspn(library, ",\n")] = '\0';
    for (char *tab = strchr(library, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' '; /* MPICH's */
    (void)snprintf(hello.library, sizeof hello.library, "%.*s", (int)sizeof hello.library - 1,
                   library);
    send_all(state->link, &hello, sizeof hello);
}

/* --- messages ---------------------------------------------------------------------------- */

static unsigned char *message_of(const rank_state *state, uint64_t slot)
{
    return state->messages + slot * state->order.payload_bytes;
}

static void note_start(rank_state *state, uint64_t slot)
{
    if (state->ticks != NULL)
        state->started[slot] = perf_ticks();
}

/* The number of every reply is checked. */
static void take_reply(rank_state *state, uint64_t slot, uint64_t number)
{
    if (state->ticks != NULL)
        state->ticks[number] = perf_ticks() - state->started[slot];
    state->is_wrong |= state->replies[slot] != number;
}

/* One at a time: the ping-pong that is known of MPI. */
static void ask_singly(rank_state *state)
{
    const int size = (int)state->order.payload_bytes;
    for (uint64_t i = 0; i < state->order.count; i++) {
        memcpy(state->messages, &i, sizeof i);
        note_start(state, 0);
        MPI_Send(state->messages, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(state->replies, NUMBER_BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        take_reply(state, 0, i);
    }
}

static void answer_singly(rank_state *state)
{
    const int size = (int)state->order.payload_bytes;
    uint64_t number;
    for (uint64_t i = 0; i < state->order.count; i++) {
        MPI_Recv(state->messages, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memcpy(&number, state->messages, sizeof number);
        state->is_wrong |= number != i;
        MPI_Send(&number, NUMBER_BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

/* MPI keeps messages between two ranks in order, and rank 1 answers in order: the oldest is
 * awaited, not any, which costs MPI less. */
static void ask_windows(rank_state *state)
{
    const uint64_t window = state->order.window, count = state->order.count;
    const int size = (int)state->order.payload_bytes;
    for (uint64_t i = 0; i < count + window; i++) {
        const uint64_t slot = i % window;
        if (i >= window) {
            MPI_Wait(&state->receives[slot], MPI_STATUS_IGNORE);
            take_reply(state, slot, i - window);
            MPI_Wait(&state->sends[slot], MPI_STATUS_IGNORE);
        }
        if (i >= count)
            continue;
        memcpy(message_of(state, slot), &i, sizeof i);
        note_start(state, slot);
        MPI_Irecv(&state->replies[slot], NUMBER_BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                  &state->receives[slot]);
        MPI_Isend(message_of(state, slot), size, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                  &state->sends[slot]);
    }
}

static void post_receive(rank_state *state, uint64_t slot)
{
    MPI_Irecv(message_of(state, slot), (int)state->order.payload_bytes, MPI_BYTE, 0, 0,
              MPI_COMM_WORLD, &state->receives[slot]);
}

/* A reply's receive is posted before its request leaves, so a send of it never waits. */
static void answer_windows(rank_state *state)
{
    const uint64_t window = state->order.window, count = state->order.count;
    uint64_t number;
    for (uint64_t i = 0; i < window && i < count; i++)
        post_receive(state, i);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t slot = i % window;
        MPI_Wait(&state->receives[slot], MPI_STATUS_IGNORE);
        memcpy(&number, message_of(state, slot), sizeof number);
        state->is_wrong |= number != i;
        MPI_Send(&number, NUMBER_BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        if (i + window < count)
            post_receive(state, slot);
    }
}

/* --- messages without calls --------------------------------------------------------------- */

/* The first bytes of a message that may be shorter than its number. */
static size_t number_bytes(const rank_state *state)
{
    return state->order.payload_bytes < NUMBER_BYTES ? (size_t)state->order.payload_bytes
                                                     : NUMBER_BYTES;
}

static void check_number(rank_state *state, uint64_t slot, uint64_t number)
{
    state->is_wrong |= memcmp(message_of(state, slot), &number, number_bytes(state)) != 0;
}

static void ask_echoes(rank_state *state)
{
    const int size = (int)state->order.payload_bytes;
    for (uint64_t i = 0; i < state->order.count; i++) {
        memcpy(state->messages, &i, number_bytes(state));
        note_start(state, 0);
        MPI_Send(state->messages, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(state->messages, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (state->ticks != NULL)
            state->ticks[i] = perf_ticks() - state->started[0];
        check_number(state, 0, i);
    }
}

static void answer_echoes(rank_state *state)
{
    const int size = (int)state->order.payload_bytes;
    for (uint64_t i = 0; i < state->order.count; i++) {
        MPI_Recv(state->messages, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check_number(state, 0, i);
        MPI_Send(state->messages, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void send_messages(rank_state *state)
{
    const uint64_t window = state->order.window, count = state->order.count;
    uint64_t received;
    for (uint64_t i = 0; i < count + window; i++) {
        const uint64_t slot = i % window;
        if (i >= window && i - window < count)
            MPI_Wait(&state->sends[slot], MPI_STATUS_IGNORE);
        if (i >= count)
            continue;
        memcpy(message_of(state, slot), &i, number_bytes(state));
        MPI_Isend(message_of(state, slot), (int)state->order.payload_bytes, MPI_BYTE, 1, 0,
                  MPI_COMM_WORLD, &state->sends[slot]);
    }
    MPI_Recv(&received, NUMBER_BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    state->is_wrong |= received != count;
}

static void receive_messages(rank_state *state)
{
    const uint64_t window = state->order.window, count = state->order.count;
    for (uint64_t i = 0; i < window && i < count; i++)
        post_receive(state, i);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t slot = i % window;
        MPI_Wait(&state->receives[slot], MPI_STATUS_IGNORE);
        check_number(state, slot, i);
        if (i + window < count)
            post_receive(state, slot);
    }
    MPI_Send(&count, NUMBER_BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

/* --- orders ------------------------------------------------------------------------------ */

/* Rank 1 begins with other bytes than those that it checks afterwards. */
static void fill(rank_state *state)
{
    for (uint64_t slot = 0; slot < state->order.window; slot++) {
        for (uint64_t at = NUMBER_BYTES; at < state->order.payload_bytes; at++)
            message_of(state, slot)[at] = state->rank == 0 ? mpi_words_byte(at) : 0;
    }
}

static void check_payloads(rank_state *state)
{
    const mpi_order *order = &state->order;
    const uint64_t used = order->count < order->window ? order->count : order->window;
    for (uint64_t slot = 0; slot < used; slot++) {
        for (uint64_t at = NUMBER_BYTES; at < order->payload_bytes; at++)
            state->is_wrong |= message_of(state, slot)[at] != mpi_words_byte(at);
    }
}

static void allocate(rank_state *state)
{
    const mpi_order *order = &state->order;
    state->messages = malloc(order->window * order->payload_bytes);
    state->replies = calloc(order->window, sizeof *state->replies);
    state->started = calloc(order->window, sizeof *state->started);
    state->sends = calloc(order->window, sizeof(MPI_Request));
    state->receives = calloc(order->window, sizeof(MPI_Request));
    const bool wants_ticks = state->rank == 0 && order->wants_ticks != 0;
    state->ticks = wants_ticks ? malloc(order->count * sizeof *state->ticks) : NULL;
    if (state->messages == NULL || state->replies == NULL || state->started == NULL ||
        state->sends == NULL || state->receives == NULL ||
        (wants_ticks && state->ticks == NULL))
        give_up("memory");
    if (wants_ticks) /* touched now: a page fault must not be part of a round trip */
        memset(state->ticks, 0xff, order->count * sizeof *state->ticks);
    fill(state);
}

static void release(rank_state *state)
{
    free(state->messages);
    free(state->replies);
    free(state->started);
    free(state->sends);
    free(state->receives);
    free(state->ticks);
}

static void run_order(rank_state *state)
{
    mpi_answer answer = {0};
    state->is_wrong = false;
    allocate(state);
    MPI_Barrier(MPI_COMM_WORLD); /* both are awake */
    const uint64_t start_ns = perf_now_ns(), waited_ns = interference_waited_ns();
    if (state->order.kind == MPI_WORDS_ECHOES)
        (state->rank == 0 ? ask_echoes : answer_echoes)(state);
    else if (state->order.kind == MPI_WORDS_MESSAGES)
        (state->rank == 0 ? send_messages : receive_messages)(state);
    else if (state->rank == 0)
        (state->order.window == 1 ? ask_singly : ask_windows)(state);
    else
        (state->order.window == 1 ? answer_singly : answer_windows)(state);
    answer.took_ns = perf_now_ns() - start_ns;
    answer.waited_ns = interference_waited_ns() - waited_ns;
    if (state->rank == 1)
        check_payloads(state);
    answer.is_wrong = state->is_wrong;
    send_all(state->link, &answer, sizeof answer);
    if (state->ticks != NULL)
        send_all(state->link, state->ticks, state->order.count * sizeof *state->ticks);
    release(state);
}

static void pin(const char *text)
{
    cpu_set_t set;
    const long cpu = strtol(text, NULL, 10);
    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        give_up("the processor");
}

int main(int argc, char **argv)
{
    rank_state state = {0};
    int ranks = 0;
    if (argc != 4) {
        (void)fprintf(stderr,
                      "this program is a part of tc-perf, which starts it for the modes "
                      "of MPI of 'tc-perf call' and 'tc-perf tsi'\n");
        return 2;
    }
    perf_clock_init();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &state.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        errno = EINVAL;
        give_up("the number of ranks");
    }
    pin(argv[2 + state.rank]);
    open_link(&state, argv[1]);
    greet(&state);
    for (;;) {
        receive_all(state.link, &state.order, sizeof state.order);
        if (state.order.count == 0)
            break;
        run_order(&state);
    }
    atomic_store(&ends, true);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
