#include "dapc_member.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NAME_MAX_BYTES 16u

/* Both sides are of this version, or another with structs of another size. */
static const char magic[8] = "tc-dapc";

typedef struct member_plan {
    char mode[NAME_MAX_BYTES];
    char wait[NAME_MAX_BYTES];
} member_plan;

/* Made of words that every 64-bit machine has alike. */
typedef struct member_order {
    char magic[8];
    uint32_t servers;
    uint32_t rank;
    uint32_t plan_count;
    uint32_t reserved;
    member_plan plans[DAPC_PLANS_MAX];
    char delivery[PERF_DELIVERY_NAME_MAX];
    char cache[NAME_MAX_BYTES];
    char answer[NAME_MAX_BYTES];
    char ifunc_path[PERF_PATH_MAX];
} member_order;

typedef struct member_introduction {
    char magic[8];
    uint32_t order_bytes;
    uint32_t blob_bytes;
    char arch[DAPC_ARCH_MAX];
} member_introduction;

_Static_assert(sizeof(member_introduction) == DAPC_INTRODUCTION_BYTES, "what the leader reads");

void dapc_member_arch(char arch_out[DAPC_ARCH_MAX])
{
    struct utsname name = {0};
    (void)uname(&name);
    (void)snprintf(arch_out, DAPC_ARCH_MAX, "%.15s", name.machine);
}

/* --- the leader's side -------------------------------------------------------------------- */

bool dapc_member_check(const char *program)
{
    struct stat about;
    if (stat(program, &about) == 0 && !S_ISREG(about.st_mode))
        errno = EACCES;
    else if (access(program, X_OK) == 0)
        return true;
    (void)fprintf(
        stderr, "tc-perf: --server-program '%s': %s; expected a tc-perf, or what starts one\n",
        program, strerror(errno));
    return false;
}

static bool keep(int fd)
{
    return fcntl(fd, F_SETFD, 0) == 0;
}

bool dapc_member_become(perf_session *session, void *config)
{
    const dapc_worker_config *own = config;
    const char *program = own->options->server_program;
    char numbers[3][16];
    const int fds[3] = {session->link_fd, session->control_fd, own->table->fd};
    for (int i = 0; i < 3; i++) {
        (void)snprintf(numbers[i], sizeof numbers[i], "%d", fds[i]);
        if (!keep(fds[i]))
            return perf_session_complain(session, "descriptor %d: %s", fds[i], strerror(errno));
    }
    char *const arguments[] = {(char[]){"tc-perf"}, (char[]){"member"}, numbers[0],
                               numbers[1],          numbers[2],         NULL};
    (void)execv(program, arguments);
    return perf_session_complain(
        session, "server %u: %s: %s%s", own->rank, program, strerror(errno),
        errno == ENOEXEC ? "; for a program of another architecture, name what starts it "
                           "by an emulator"
                         : "");
}

static bool copy_text(char *into, size_t size, const char *text)
{
    return (size_t)snprintf(into, size, "%s", text) < size;
}

bool dapc_member_order(perf_session *session, const dapc_worker_config *config)
{
    const perf_options *options = config->options;
    member_order order = {.servers = config->table->servers,
                          .rank = config->rank,
                          .plan_count = config->plan_count};
    memcpy(order.magic, magic, sizeof magic);
    bool fits = copy_text(order.delivery, sizeof order.delivery, options->deliveries[0]) &&
                copy_text(order.cache, sizeof order.cache, options->cache) &&
                copy_text(order.answer, sizeof order.answer, options->answer) &&
                copy_text(order.ifunc_path, sizeof order.ifunc_path, options->ifunc_path);
    for (unsigned i = 0; fits && i < config->plan_count; i++)
        fits = copy_text(order.plans[i].mode, NAME_MAX_BYTES, config->plans[i].mode->name) &&
               copy_text(order.plans[i].wait, NAME_MAX_BYTES, config->plans[i].wait);
    if (!fits)
        return perf_session_complain(
            session, "--ifunc-path: expected at most %u bytes for a server program",
            PERF_PATH_MAX - 1);
    return perf_session_send(session, &order, sizeof order);
}

bool dapc_member_judge(perf_session *session, const void *bytes, size_t size,
                       char arch_out[DAPC_ARCH_MAX])
{
    member_introduction said;
    if (size != sizeof said || memcmp(bytes, magic, sizeof magic) != 0)
        return perf_session_complain(
            session, "a server said %zu bytes, expected its introduction of %zu", size,
            sizeof said);
    memcpy(&said, bytes, sizeof said);
    said.arch[sizeof said.arch - 1] = '\0';
    if (said.order_bytes != sizeof(member_order) || said.blob_bytes != sizeof(dapc_blob))
        return perf_session_complain(session,
                                     "a server program (%s) takes orders of %u and blobs of %u "
                                     "bytes, expected %zu and %zu: build both of one version",
                                     said.arch, said.order_bytes, said.blob_bytes,
                                     sizeof(member_order), sizeof(dapc_blob));
    memcpy(arch_out, said.arch, DAPC_ARCH_MAX);
    return true;
}

/* --- the program's side ------------------------------------------------------------------- */

static bool introduce(perf_session *session)
{
    member_introduction mine = {.order_bytes = sizeof(member_order),
                                .blob_bytes = sizeof(dapc_blob)};
    memcpy(mine.magic, magic, sizeof magic);
    dapc_member_arch(mine.arch);
    return perf_session_send(session, &mine, sizeof mine);
}

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static bool order_is_sound(const member_order *order, size_t size)
{
    bool sound = size == sizeof *order && memcmp(order->magic, magic, sizeof magic) == 0 &&
                 order->servers > 0 && order->servers <= DAPC_SERVERS_MAX &&
                 order->rank < order->servers && order->plan_count <= DAPC_PLANS_MAX &&
                 is_text(order->delivery, sizeof order->delivery) &&
                 is_text(order->cache, sizeof order->cache) &&
                 is_text(order->answer, sizeof order->answer) &&
                 is_text(order->ifunc_path, sizeof order->ifunc_path);
    for (unsigned i = 0; sound && i < order->plan_count; i++)
        sound = is_text(order->plans[i].mode, NAME_MAX_BYTES) &&
                is_text(order->plans[i].wait, NAME_MAX_BYTES) &&
                dapc_mode_find(order->plans[i].mode) != NULL;
    return sound;
}

static bool serve_order(perf_session *session, int table_fd)
{
    static member_order order;
    static perf_options options;
    dapc_plan plans[DAPC_PLANS_MAX] = {0};
    dapc_table table;
    size_t size;
    if (!perf_session_recv(session, &order, sizeof order, &size))
        return false;
    if (!order_is_sound(&order, size))
        return perf_session_complain(
            session, "an order of %zu bytes, expected one of this version, %zu bytes", size,
            sizeof order);
    if (!dapc_table_map(&table, table_fd, order.servers))
        return perf_session_complain(session, "descriptor %d is not the table of %u servers",
                                     table_fd, order.servers);
    options.cache = order.cache;
    options.answer = order.answer;
    options.ifunc_path = order.ifunc_path;
    options.delivery_count = 1;
    memcpy(options.deliveries[0], order.delivery, sizeof order.delivery);
    for (unsigned i = 0; i < order.plan_count; i++) {
        plans[i].mode = dapc_mode_find(order.plans[i].mode);
        memcpy(plans[i].wait, order.plans[i].wait, sizeof plans[i].wait);
    }
    dapc_worker_config config = {.options = &options,
                                 .table = &table,
                                 .plans = plans,
                                 .plan_count = order.plan_count,
                                 .rank = order.rank};
    bool ok = introduce(session) && dapc_worker_serve(session, &config);
    dapc_table_free(&table);
    return ok;
}

static bool descriptor_of(const char *text, int *fd_out)
{
    char *end;
    long value = strtol(text, &end, 10);
    *fd_out = (int)value;
    return *text != '\0' && *end == '\0' && value > 2 && value < 1 << 20 &&
           fcntl((int)value, F_SETFD, FD_CLOEXEC) == 0;
}

int dapc_member_main(int argc, char **argv)
{
    perf_session session;
    int fds[3];
    bool ok = argc == 4;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; ok && i < 3; i++)
        ok = descriptor_of(argv[1 + i], &fds[i]);
    if (!ok) {
        (void)fprintf(stderr, "tc-perf: member: expected three descriptors; tc-perf dapc "
                              "--server-program starts this\n");
        return 2;
    }
    if (!perf_session_adopt(&session, fds[0], fds[1]))
        return EXIT_FAILURE;
    (void)close(fds[1]);
    return serve_order(&session, fds[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
