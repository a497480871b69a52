/* tc-compile: the engine's compiler as a process of its own, started by the library.
 *
 *     tc-compile MODULE_FOLDER PARENT_PID MEMORY_MAX foreground|background walled|open
 *
 * Speaks compile_protocol.h on descriptor TCI_CHILD_SOCKET. It looks up no symbols, since the
 * code is for another process: it notes the symbols that the code needs. Nothing of it outlives
 * its parent. */
#include "base/error_text.h"
#include "base/sanitized.h"
#include "engine/child/child_process.h"
#include "engine/child/compile_protocol.h"
#include "engine/child/compile_wall.h"
#include "engine/engine_module.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bound of its standard error, which is memory; the parent reads the beginning of it. */
#define WORDS_BYTES_MAX (1u << 20)
/* Even a compilation that a caller waits for must not take the processor from threads that run
 * messages. */
#define NICENESS 5
#define BACKGROUND_NICENESS 10

/* Undefined symbols, one after the other with their terminators. */
typedef struct name_bytes {
    char *bytes;
    size_t size;
    size_t capacity;
    bool failed;
} name_bytes;

/* --- limits, and the parent's end --------------------------------------------------------- */

static void limit(int resource, uint64_t value)
{
    const struct rlimit both = {(rlim_t)value, (rlim_t)value};
    (void)setrlimit((__rlimit_resource_t)resource, &both);
}

/* Sets limits and ignores signals. A terminal's signals are for the application, which still
 * compiles while it ends. */
static void set_limits(uint64_t memory_max, bool background)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, WORDS_BYTES_MAX);
    if (!TCI_SANITIZED && memory_max > 0) /* shadow memory takes terabytes of addresses */
        limit(RLIMIT_AS, memory_max);
    int niceness = getpriority(PRIO_PROCESS, 0); /* of the thread that started this */
    if (background)
        niceness += BACKGROUND_NICENESS;
    else if (niceness < NICENESS)
        niceness = NICENESS;
    (void)setpriority(PRIO_PROCESS, 0, niceness);
}

static sem_t watching;

/* Runs in its own thread, as LLVM may be busy for ever. The socket alone would suffice, except
 * for a parent that has forked: then its end stays open. */
static void *watch_parent(void *argument)
{
    struct pollfd fds[2] = {{.fd = TCI_CHILD_SOCKET, .events = POLLRDHUP},
                            {.fd = (int)(intptr_t)argument, .events = POLLIN}};
    (void)sem_post(&watching);
    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        continue;
    _exit(EXIT_SUCCESS);
}

/* Returns -1 if the parent is gone; its number may belong to another process by now. */
static int find_parent(pid_t parent, int *pidfd_out)
{
    *pidfd_out = (int)syscall(SYS_pidfd_open, parent, 0); /* fails in kernels without it */
    return getppid() == parent ? 0 : -1;
}

static int start_watching(int pidfd)
{
    pthread_t thread;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 || sem_init(&watching, 0, 0) != 0)
        return -1;
    (void)pthread_attr_setstacksize(&attributes, 256u << 10);
    /* bound: RLIMIT_NPROC */
    int problem = pthread_create(&thread, &attributes, watch_parent, (void *)(intptr_t)pidfd);
    (void)pthread_attr_destroy(&attributes);
    if (problem != 0)
        return -1;
    while (sem_wait(&watching) != 0) /* a thread begins with calls that it may not make later */
        continue;
    return 0;
}

/* --- the wall ----------------------------------------------------------------------------- */

static int statm = -1; /* it is read again and again */

/* From now on the process reaches only its socket: assembly could have a file put into the code
 * that it compiles, and code made for that purpose could take LLVM over. */
static tc_status enclose(bool walled, int pidfd, tci_compile_wall *wall, tc_error *err)
{
    statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    int last = statm > pidfd ? statm : pidfd;
    if (walled)
        tci_compile_wall_close(wall);
    tci_compile_wall_limit(wall, last > TCI_CHILD_SOCKET ? last : TCI_CHILD_SOCKET);
    if (start_watching(pidfd) != 0)
        return tci_error_set(err, TC_E_NO_MEMORY, "no thread to watch the parent");
    if (walled)
        tci_compile_wall_filter(wall, TCI_CHILD_SOCKET, statm);
    return TC_OK;
}

/* Returns the bytes of address space in use. */
static uint64_t memory_used(void)
{
    char text[64];
    ssize_t n = pread(statm, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- messages ----------------------------------------------------------------------------- */

/* Receives all bytes. If the parent is gone, no reply is needed: the process ends. */
static void receive(void *bytes, size_t size)
{
    for (size_t have = 0; have < size;) {
        ssize_t n = recv(TCI_CHILD_SOCKET, (char *)bytes + have, size - have, 0);
        if (n > 0)
            have += (size_t)n;
        else if (n == 0 || errno != EINTR)
            _exit(EXIT_SUCCESS);
    }
}

static void send_all(const void *bytes, size_t size, bool more)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t n = send(TCI_CHILD_SOCKET, (const char *)bytes + sent, size - sent,
                         MSG_NOSIGNAL | (more ? MSG_MORE : 0));
        if (n >= 0)
            sent += (size_t)n;
        else if (errno != EINTR)
            _exit(EXIT_SUCCESS);
    }
}

/* Sends a small reply in one piece: each piece would wake the parent. */
static void send_reply(const tci_compile_reply *reply)
{
    enum { HEADS = TCI_COMPILE_PREFIX_BYTES + TCI_COMPILE_REPLY_HEAD_BYTES };
    uint8_t small[16384];
    size_t body_size = TCI_COMPILE_REPLY_HEAD_BYTES + reply->text_size + reply->names_size +
                       reply->object_size;
    const struct {
        const void *bytes;
        size_t size;
    } parts[] = {{reply->text, reply->text_size},
                 {reply->names, reply->names_size},
                 {reply->object, reply->object_size}};
    tci_compile_prefix_encode(TCI_COMPILE_REPLY, body_size, small);
    tci_compile_reply_encode(reply, small + TCI_COMPILE_PREFIX_BYTES);
    size_t used = HEADS;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].size > sizeof small - used) {
            send_all(small, used, true);
            send_all(parts[i].bytes, parts[i].size, true);
            used = 0;
        } else if (parts[i].size > 0) {
            memcpy(small + used, parts[i].bytes, parts[i].size);
            used += parts[i].size;
        }
    }
    send_all(small, used, false);
}

static void send_hello(const tci_engine_ops *ops, const tci_engine *engine,
                       const tci_compile_wall *wall)
{
    static tci_compile_hello hello;
    static uint8_t body[4 * TCI_COMPILE_HELLO_TEXT_MAX];
    uint8_t prefix[TCI_COMPILE_PREFIX_BYTES];
    size_t size;
    tc_error err;
    hello.abi = ops->abi;
    hello.wall = *wall;
    (void)snprintf(hello.llvm, sizeof hello.llvm, "%s", ops->llvm());
    (void)snprintf(hello.cpu, sizeof hello.cpu, "%s", ops->cpu(engine));
    (void)snprintf(hello.features, sizeof hello.features, "%s", ops->features(engine));
    if (tci_compile_hello_encode(&hello, body, sizeof body, &size, &err) != TC_OK)
        _exit(EXIT_FAILURE);
    tci_compile_prefix_encode(TCI_COMPILE_HELLO, size, prefix);
    send_all(prefix, sizeof prefix, true);
    send_all(body, size, false);
}

/* --- compile ------------------------------------------------------------------------------ */

static void *note_name(void *user, const char *symbol)
{
    name_bytes *names = user;
    size_t n = strlen(symbol) + 1;
    if (names->size + n > names->capacity) {
        size_t capacity = 2 * (names->size + n) + 1024;
        char *bytes =
            /* bound: TCI_COMPILE_NAMES_MAX */
            capacity <= TCI_COMPILE_NAMES_MAX ? realloc(names->bytes, capacity) : NULL;
        if (bytes == NULL) {
            names->failed = true;
            return names;
        }
        names->bytes = bytes;
        names->capacity = capacity;
    }
    memcpy(names->bytes + names->size, symbol, n);
    names->size += n;
    return names;
}

static tc_status compile(const tci_engine_ops *ops, tci_engine *engine,
                         const tci_engine_code *code, const name_bytes *names,
                         tci_object *object_out, tc_error *err)
{
    TC_TRY(ops->compile(engine, code, object_out, err));
    tc_status status = TC_OK;
    if (names->failed)
        status = tci_error_set(err, TC_E_TOO_LARGE,
                               "names of undefined symbols: expected at most %u bytes",
                               TCI_COMPILE_NAMES_MAX / 2);
    else if (object_out->size > TCI_ARCHIVE_SLICE_BYTES_MAX)
        status = tci_error_set(err, TC_E_TOO_LARGE,
                               "compiled code of %zu bytes, expected at most %u",
                               object_out->size, TCI_ARCHIVE_SLICE_BYTES_MAX);
    if (status != TC_OK)
        free(object_out->bytes);
    return status;
}

static void serve_request(const tci_engine_ops *ops, tci_engine *engine, const void *body,
                          size_t size)
{
    char name[TCI_ARCHIVE_NAME_MAX];
    tci_engine_code code;
    tci_object object = {0};
    name_bytes names = {0};
    tc_error err = {0};
    if (tci_compile_request_decode(body, size, name, &code, &err) != TC_OK)
        _exit(EXIT_FAILURE); /* no reply would be understood either */
    code.resolve = note_name;
    code.resolve_user = &names;
    tci_compile_reply reply = {.status = compile(ops, engine, &code, &names, &object, &err)};
    reply.names = names.bytes;
    reply.names_size = names.size;
    if (reply.status != TC_OK) {
        reply.text = err.text;
        reply.text_size = strlen(err.text);
        send_reply(&reply);
    } else {
        reply.object = object.bytes;
        reply.object_size = object.size;
        reply.writable = object.writable;
        reply.parse_ns = object.parse_ns;
        reply.verify_ns = object.verify_ns;
        reply.passes_ns = object.passes_ns;
        reply.codegen_ns = object.codegen_ns;
        send_reply(&reply);
        free(object.bytes);
    }
    free(names.bytes);
}

/* Serves until the parent is gone, or until much of the memory was not freed: a new process is
 * better than a next function that fails for lack of memory. */
static void serve(const tci_engine_ops *ops, tci_engine *engine, uint64_t memory_max)
{
    do {
        uint8_t prefix[TCI_COMPILE_PREFIX_BYTES];
        tci_compile_kind kind;
        size_t size;
        tc_error err;
        receive(prefix, sizeof prefix);
        if (tci_compile_prefix_decode(prefix, &kind, &size, &err) != TC_OK ||
            kind != TCI_COMPILE_REQUEST)
            _exit(EXIT_FAILURE);
        void *body = malloc(size > 0 ? size : 1);
        if (body == NULL) {
            fprintf(stderr, "request of %zu bytes: out of memory\n", size);
            _exit(EXIT_FAILURE);
        }
        receive(body, size);
        serve_request(ops, engine, body, size);
        free(body);
    } while (TCI_SANITIZED || memory_max == 0 || memory_used() < memory_max / 4 * 3);
}

/* --- start -------------------------------------------------------------------------------- */

static void log_line(tc_log_level level, const char *line)
{
    (void)level;
    fprintf(stderr, "%s\n", line);
}

static tc_status start(const char *folder, const tci_engine_ops **ops_out,
                       tci_engine **engine_out, tc_error *err)
{
    TC_TRY(tci_engine_module_open(folder, ops_out, err));
    return (*ops_out)->create(log_line, engine_out, err);
}

static void refuse_start(const tc_error *err)
{
    const tci_compile_reply refusal = {
        .status = err->status, .text = err->text, .text_size = strlen(err->text)};
    send_reply(&refusal);
    _exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    const tci_engine_ops *ops;
    tci_engine *engine;
    tci_compile_wall wall = {0};
    int pidfd;
    tc_error err = {0};
    if (argc != 6) {
        fprintf(stderr, "%s compiles for libtchains, which starts it\n", argv[0]);
        return EXIT_FAILURE;
    }
    uint64_t memory_max = strtoull(argv[3], NULL, 10);
    set_limits(memory_max, strcmp(argv[4], "background") == 0);
    if (find_parent((pid_t)strtol(argv[2], NULL, 10), &pidfd) != 0)
        return EXIT_FAILURE;
    if (start(argv[1], &ops, &engine, &err) != TC_OK ||
        enclose(strcmp(argv[5], "walled") == 0, pidfd, &wall, &err) != TC_OK)
        refuse_start(&err);
    send_hello(ops, engine, &wall);
    serve(ops, engine, memory_max);
    _exit(EXIT_SUCCESS);
}
