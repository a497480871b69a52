#include "full_io.h"

#include <errno.h>
#include <unistd.h>

bool tci_full_io_read(int fd, void *bytes, size_t size, size_t *got_out)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, (char *)bytes + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *got_out = got;
    return true;
}

bool tci_full_io_write(int fd, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            done += (size_t)n;
    }
    return true;
}
