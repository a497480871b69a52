/* Listeners on sockets of other processes: tc_listener_open of one that is bound. */
#include "context/listener.h"
#include "core/limits.h"

tc_status tc_listener_open_socket(tc_context *ctx, int socket, tc_listener **listener_out,
                                  tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_stream_listener *streams;
    tc_listener *listener;
    TC_TRY(tci_stream_adopt(socket, &streams, err));
    tc_status status = tci_stream_listener_admit(streams, core->options.listen_any != 0,
                                                 &core->credentials, err);
    if (status != TC_OK) {
        tci_stream_listener_close(streams);
        return status;
    }
    TC_TRY(tci_listener_open_on(ctx, streams, &core->credentials, &listener, err));
    status = tci_limits_listen(core, listener->streams, err);
    if (status != TC_OK) {
        tc_listener_close(listener);
        return status;
    }
    if (listener_out != NULL)
        *listener_out = listener;
    return TC_OK;
}
