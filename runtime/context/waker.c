#include "context/waker.h"

#include "base/error_text.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

tc_status tci_waker_init(tc_context *ctx, tc_error *err)
{
    ctx->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ctx->wake_fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "an eventfd could not be made");
    return tci_core_watch(&ctx->core, ctx->wake_fd, TCI_WATCH_WAKE, err);
}

void tci_waker_fini(tc_context *ctx)
{
    if (ctx->wake_fd >= 0)
        (void)close(ctx->wake_fd);
}

/* Empties an eventfd, so that it is not readable any more. */
static void take(int fd)
{
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n;
}

void tci_waker_note_wake(tc_context *ctx)
{
    take(ctx->wake_fd);
    tci_pending_note_event(&ctx->core.pending);
}

void tci_waker_note_guest(tc_context *ctx)
{
    take(ctx->guests.wake_fd);
}

void tci_waker_note_loads(tc_context *ctx)
{
    take(ctx->loads_fd);
}

/* Any thread may call this, and a signal handler: the descriptor is the same for as long as the
 * context lives, and only write() is called. */
void tc_wake(tc_context *ctx)
{
    const uint64_t one = 1;
    int before = errno;
    ssize_t n = write(ctx->wake_fd, &one, sizeof one);
    (void)n; /* full: it is readable already */
    errno = before;
}
