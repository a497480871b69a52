#include "tool_file.h"

#include "base/file_replacement.h"
#include "base/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int tool_file_write(const char *path, const void *bytes, size_t size)
{
    return tci_file_replacement_write(path, bytes, size);
}

int tool_file_write_number(const char *path, unsigned number)
{
    char line[32];
    int length = snprintf(line, sizeof line, "%u\n", number);
    return tci_file_replacement_write(path, line, (size_t)length);
}

static int read_open(int fd, size_t max, void **bytes_out, size_t *size_out)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return EINVAL;
    if ((uint64_t)info.st_size > max)
        return EFBIG;
    void *bytes = malloc((size_t)info.st_size + 1); /* never of no bytes */
    if (bytes == NULL)
        return ENOMEM;
    if (!tci_full_io_read(fd, bytes, (size_t)info.st_size, size_out)) {
        int reason = errno;
        free(bytes);
        return reason;
    }
    *bytes_out = bytes;
    return 0;
}

int tool_file_read(const char *path, size_t max, void **bytes_out, size_t *size_out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int reason = read_open(fd, max, bytes_out, size_out);
    (void)close(fd);
    return reason;
}
