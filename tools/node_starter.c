#include "node_starter.h"

#include "node_say.h"

#include "bootstrap/run_protocol.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define STARTER_S 10 /* in which tc-run answers */

bool node_starter_is_there(void)
{
    return getenv(TCI_RUN_ENV_SOCKET) != NULL;
}

/* Returns a connection to the user's own tc-run; -1 with errno. */
static int connect_starter(const char *name)
{
    const struct timeval limit = {.tv_sec = STARTER_S};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred who = {.uid = (uid_t)-1};
    socklen_t size = sizeof who;
    const size_t n = strlen(name);
    const bool fits = n >= 2 && n < sizeof address.sun_path;
    int fd = fits ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    memcpy(address.sun_path, name, n);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    const socklen_t used =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (name[0] != '@'));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, (const struct sockaddr *)&address, used) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
        (who.uid == geteuid() || who.uid == 0))
        return fd;
    int problem = who.uid == (uid_t)-1 ? errno : EACCES;
    (void)close(fd);
    errno = problem;
    return -1;
}

static bool read_secret(uint8_t secret_out[TCI_RUN_SECRET_BYTES])
{
    const char *text = getenv(TCI_RUN_ENV_SECRET);
    if (text == NULL || strlen(text) != 2 * TCI_RUN_SECRET_BYTES)
        return false;
    for (size_t i = 0; i < TCI_RUN_SECRET_BYTES; i++) {
        if (sscanf(text + 2 * i, "%2hhx", &secret_out[i]) != 1)
            return false;
    }
    return true;
}

/* Returns whether tc-run has noted that this process only serves. */
static bool tell(int fd, uint32_t rank)
{
    tci_run_request request = {.kind = TCI_RUN_SERVE, .round = 1, .rank = rank};
    uint8_t packet[TCI_RUN_PACKET_MAX];
    tci_run_reply reply;
    tc_error error;
    if (!read_secret(request.secret))
        return false;
    size_t size = tci_run_request_encode(&request, packet);
    ssize_t n = send(fd, packet, size, MSG_NOSIGNAL);
    if (n == (ssize_t)size)
        n = recv(fd, packet, sizeof packet, 0);
    return n > 0 && tci_run_reply_decode(packet, (size_t)n, &reply, &error) == TC_OK &&
           reply.kind == TCI_RUN_DONE;
}

bool node_starter_tell(uint32_t rank)
{
    const char *name = getenv(TCI_RUN_ENV_SOCKET);
    if (name == NULL)
        return true;
    int fd = connect_starter(name);
    const bool told = fd >= 0 && tell(fd, rank);
    if (!told)
        node_say(NODE_ERROR,
                 "--join: tc-run at %.100s did not note that this process only "
                 "serves; is it of another version?",
                 name);
    if (fd >= 0)
        (void)close(fd);
    return told;
}
