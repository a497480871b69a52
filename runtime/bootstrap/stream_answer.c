/* Asks the kernel whether the peer's host has answered. */
#include "stream_object.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

bool tci_stream_is_unanswered(const tci_stream *stream)
{
    struct tcp_info info = {.tcpi_state = 0};
    socklen_t size = sizeof info;
    return stream->channel.fd >= 0 &&
           getsockopt(stream->channel.fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           (info.tcpi_state == TCP_SYN_SENT || info.tcpi_unacked > 0);
}
