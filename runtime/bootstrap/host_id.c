#include "host_id.h"

#include "base/content_id.h"
#include "base/logger.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/random.h>
#include <unistd.h>

/* The contents of files and links, each with a terminator that no text contains. */
typedef struct id_input {
    char bytes[256];
    size_t size;
    bool failed;
} id_input;

static void append(id_input *input, ssize_t added)
{
    /* A link that fills the buffer may have been cut, and a cut one may equal another. */
    if (added <= 0 || input->size + (size_t)added + 1 >= sizeof input->bytes) {
        input->failed = true;
        return;
    }
    input->size += (size_t)added;
    input->bytes[input->size++] = '\0';
}

static void append_file(id_input *input, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        input->failed = true;
        return;
    }
    append(input, read(fd, input->bytes + input->size, sizeof input->bytes - input->size));
    (void)close(fd);
}

static void append_link(id_input *input, const char *path)
{
    append(input,
           readlink(path, input->bytes + input->size, sizeof input->bytes - input->size));
}

static void draw(uint8_t id_out[TCI_HOST_ID_BYTES])
{
    if (getrandom(id_out, TCI_HOST_ID_BYTES, 0) == TCI_HOST_ID_BYTES)
        return;
    /* Reached only with a kernel older than getrandom; a pid and an address on a randomised
     * stack differ between the few processes that could be confused. */
    uintptr_t salt[2] = {(uintptr_t)&id_out, (uintptr_t)getpid()};
    tci_hash128(salt, sizeof salt, id_out);
}

void tci_host_id(uint8_t id_out[TCI_HOST_ID_BYTES])
{
    id_input input = {.size = 0};
    append_file(&input, "/proc/sys/kernel/random/boot_id");
    append_link(&input, "/proc/self/ns/pid");
    append_link(&input, "/proc/self/ns/ipc");
    if (input.failed) {
        TC_LOG(TC_LOG_INFO, "host id: /proc does not show the boot id and the namespaces: no "
                            "peer will count as local");
        draw(id_out);
        return;
    }
    tci_hash128(input.bytes, input.size, id_out);
}
