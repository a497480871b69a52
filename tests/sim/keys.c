/* Key files in a folder of their own. */
#include "keys.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KINDS 3u

static char folder[] = "/tmp/sim-keys-XXXXXX";
static char paths[KINDS][sizeof folder + 8];

static void delete_all(void)
{
    for (unsigned i = 0; i < KINDS; i++)
        (void)unlink(paths[i]);
    (void)rmdir(folder);
}

static void write_key(unsigned index, const char *name, char digit)
{
    char text[128], digits[65];
    memset(digits, digit, sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    const int size = snprintf(text, sizeof text, "tchains-key %s %s\n", name, digits);
    (void)snprintf(paths[index], sizeof paths[index], "%s/%u", folder, index);
    const int fd = open(paths[index], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, (size_t)size) != size || close(fd) != 0)
        abort();
}

void keys_prepare(void)
{
    if (mkdtemp(folder) == NULL)
        abort();
    write_key(KEYS_OF_WORLD, "world", 'a');
    write_key(KEYS_OTHER_NAME, "other", 'b');
    write_key(KEYS_OTHER_BYTES, "world", 'c');
    (void)atexit(delete_all);
}

const char *keys_file(keys_kind kind)
{
    return paths[kind];
}
