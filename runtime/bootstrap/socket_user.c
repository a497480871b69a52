/* Asks netlink for the one socket, and searches /proc if that does not find it. */
#include "socket_user.h"

#include "base/error_text.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define STATE_LISTEN 10 /* as the kernel numbers the states of TCP */

/* An address as the kernel keeps it: as IPv4 also when it was mapped into IPv6. */
typedef struct plain_address {
    int family;
    uint32_t words[4]; /* in network order */
    uint16_t port;     /* in network order */
} plain_address;

static plain_address plain(const tci_host_address *address)
{
    plain_address out = {.family = address->storage.ss_family};
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    memcpy(&in, &address->storage, sizeof in);
    memcpy(&in6, &address->storage, sizeof in6);
    out.port = in.sin_port; /* at the same offset in both */
    if (out.family == AF_INET)
        out.words[0] = in.sin_addr.s_addr;
    else
        memcpy(out.words, &in6.sin6_addr, sizeof out.words);
    if (out.family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
        out = (plain_address){.family = AF_INET, .words = {out.words[3]}, .port = out.port};
    return out;
}

/* --- by netlink: one socket, named by its addresses -------------------------------------- */

typedef struct diag_request {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} diag_request;

static diag_request make_request(const tci_socket_user_question *question, int family)
{
    plain_address local = plain(&question->local), remote = plain(&question->remote);
    diag_request request = {
        .head = {.nlmsg_len = sizeof request,
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = (uint8_t)family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = UINT32_MAX,
                 .id = {.idiag_sport = local.port,
                        .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
    };
    memcpy(request.body.id.idiag_src, local.words, sizeof local.words);
    if (!question->listening) {
        request.body.id.idiag_dport = remote.port;
        memcpy(request.body.id.idiag_dst, remote.words, sizeof remote.words);
    }
    return request;
}

/* Reads the user from the kernel's answer. A socket that its process has closed has no inode;
 * the kernel then reports root. */
static bool read_answer(const tci_socket_user_question *question, const uint8_t *bytes,
                        size_t size, uid_t *user_out)
{
    struct nlmsghdr head;
    struct inet_diag_msg body;
    if (size < NLMSG_HDRLEN + sizeof body)
        return false;
    memcpy(&head, bytes, sizeof head);
    memcpy(&body, bytes + NLMSG_HDRLEN, sizeof body);
    if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || body.idiag_inode == 0 ||
        (body.idiag_state == STATE_LISTEN) != question->listening ||
        body.id.idiag_sport != plain(&question->local).port)
        return false;
    *user_out = body.idiag_uid;
    return true;
}

static bool exchange(int fd, const tci_socket_user_question *question, int family,
                     uid_t *user_out)
{
    uint8_t bytes[1024];
    const diag_request request = make_request(question, family);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(fd, &request, sizeof request, 0, (const struct sockaddr *)&kernel,
               sizeof kernel) != (ssize_t)sizeof request)
        return false;
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT); /* the answer is there at once */
    return n > 0 && read_answer(question, bytes, (size_t)n, user_out);
}

bool tci_socket_user_ask_netlink(const tci_socket_user_question *question, uid_t *user_out)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return false;
    int family = plain(&question->local).family;
    bool found = exchange(fd, question, family, user_out);
    (void)close(fd);
    return found;
}

/* --- by /proc: where netlink is missing, as under an emulator ---------------------------- */

/* Writes "0100007F:1F90", for IPv6 32 digits: the words as this machine's numbers. */
static size_t proc_text(const plain_address *address, char out[48])
{
    size_t words = address->family == AF_INET ? 1 : 4, n = 0;
    for (size_t i = 0; i < words; i++)
        n += (size_t)snprintf(out + n, 48 - n, "%08X", address->words[i]);
    return n + (size_t)snprintf(out + n, 48 - n, ":%04X", ntohs(address->port));
}

/* Returns whether a line's socket is the one asked for. A listening socket may listen at all
 * addresses of its family. */
static bool is_asked_for(const tci_socket_user_question *question, const char *local,
                         const char *remote, unsigned state)
{
    plain_address wanted = plain(&question->local), peer = plain(&question->remote);
    char text[48];
    (void)proc_text(&wanted, text);
    if (!question->listening) {
        char peer_text[48];
        (void)proc_text(&peer, peer_text);
        return strcmp(local, text) == 0 && strcmp(remote, peer_text) == 0 &&
               state != STATE_LISTEN;
    }
    if (state != STATE_LISTEN)
        return false;
    if (strcmp(local, text) == 0)
        return true;
    memset(wanted.words, 0, sizeof wanted.words);
    (void)proc_text(&wanted, text);
    return strcmp(local, text) == 0;
}

static bool search_proc(FILE *from, const tci_socket_user_question *question, uid_t *user_out)
{
    char line[512], local[48], remote[48];
    unsigned state, user;
    unsigned long inode;
    bool found = false;
    while (fgets(line, sizeof line, from) != NULL) {
        if (sscanf(line, " %*u: %47s %47s %x %*s %*s %*s %u %*u %lu", local, remote, &state,
                   &user, &inode) != 5 ||
            inode == 0 || !is_asked_for(question, local, remote, state))
            continue;
        /* Several sockets may listen, at all addresses and at one: refuse if users differ. */
        if (found && *user_out != user)
            return false;
        *user_out = user;
        found = true;
    }
    return found;
}

bool tci_socket_user_ask_proc(const tci_socket_user_question *question, uid_t *user_out)
{
    bool is_v4 = plain(&question->local).family == AF_INET;
    FILE *from = fopen(is_v4 ? "/proc/self/net/tcp" : "/proc/self/net/tcp6", "re");
    if (from == NULL)
        return false;
    bool found = search_proc(from, question, user_out);
    (void)fclose(from);
    return found;
}

/* --- a connection ------------------------------------------------------------------------ */

/* Asks for the connected socket, then for a listening one, but not if this side has accepted
 * the connection: a port can have both. */
static bool ask(tci_socket_user_question *question, bool accepted, uid_t *user_out,
                bool (*how)(const tci_socket_user_question *, uid_t *))
{
    question->listening = false;
    if (how(question, user_out))
        return true;
    question->listening = true;
    return !accepted && how(question, user_out);
}

tc_status tci_socket_user_of_peer(int fd, bool accepted, uid_t *user_out, tc_error *err)
{
    /* The question is from the peer's view: its local address is the remote one here. */
    tci_socket_user_question question = {.local = {.size = sizeof question.local.storage},
                                         .remote = {.size = sizeof question.remote.storage}};
    if (getpeername(fd, (struct sockaddr *)&question.local.storage, &question.local.size) !=
            0 ||
        getsockname(fd, (struct sockaddr *)&question.remote.storage, &question.remote.size) !=
            0)
        return tci_error_errno(err, errno == ENOTCONN ? TC_E_REFUSED : TC_E_IO, errno,
                               "whose process it is");
    if (ask(&question, accepted, user_out, tci_socket_user_ask_netlink) ||
        ask(&question, accepted, user_out, tci_socket_user_ask_proc))
        return TC_OK;
    return tci_error_set(err, TC_E_REFUSED, "the kernel does not say whose process it is");
}
