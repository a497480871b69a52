/* Any bytes, as what a stranger sends to a listener with keys, or what answers to who connects.
 * The first byte says which, and how the rest is cut. Nobody without the key is ever taken, and
 * whatever is sent is judged within as many steps as there are pieces. */
#include "bootstrap/channel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <tc/options.h>
#include <unistd.h>

#define PIECES_MAX 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Loaded once: a process that fuzzes keeps it. */
static tci_credentials *credentials(void)
{
    static tci_credentials loaded;
    const tci_tls_key key = {.name = "cluster", .bytes = {1, 2, 3}};
    tc_options *opts;
    if (loaded.ops != NULL)
        return &loaded;
    if (tc_options_create(&opts, NULL) != TC_OK ||
        tc_options_set(opts, "engine_path", TLS_MODULE_FOLDER, NULL) != TC_OK ||
        tci_credentials_of_job(&key, opts, &loaded, NULL) != TC_OK)
        abort();
    tc_options_destroy(opts);
    return &loaded;
}

static void drain(int fd)
{
    uint8_t bytes[4096];
    while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

/* TC_E_AGAIN: it waits for more. */
static tc_status feed(tci_channel *channel, int fd, const uint8_t *data, size_t size,
                      size_t pieces)
{
    tc_error err;
    tc_status status = tci_channel_handshake(channel, &err);
    for (size_t at = 0; at < size && status == TC_E_AGAIN;) {
        size_t n = size / pieces + 1 < size - at ? size / pieces + 1 : size - at;
        if (send(fd, data + at, n, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)n)
            break;
        at += n;
        status = tci_channel_handshake(channel, &err);
        drain(fd);
    }
    return status;
}

static void judge(tci_channel *channel, int fd, const uint8_t *data, size_t size)
{
    tc_error err;
    tci_tls_role role = (data[0] & 1) != 0 ? TCI_TLS_CLIENT : TCI_TLS_SERVER;
    if (tci_channel_secure(channel, credentials(), role, "127.0.0.1", &err) != TC_OK)
        abort();
    tc_status status = feed(channel, fd, data + 1, size - 1, (data[0] >> 1) % PIECES_MAX + 1);
    (void)shutdown(fd, SHUT_WR);
    if (status == TC_E_AGAIN)
        status = tci_channel_handshake(channel, &err);
    if (status == TC_OK || status == TC_E_AGAIN || channel->identity[0] != '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fds[2];
    tci_channel channel;
    if (size < 1 || size > 65536 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
        return 0;
    tci_channel_init(&channel);
    channel.fd = fds[0];
    judge(&channel, fds[1], data, size);
    tci_channel_close(&channel);
    (void)close(fds[1]);
    return 0;
}
