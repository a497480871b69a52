/* Counts a run in a file that outlives the process, rests, and answers with the count. */
#include "restart_tally.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <tc/entry.h>

static uint32_t *open_counters(void)
{
    const char *path = getenv(TALLY_FILE);
    int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *counters =
        mmap(NULL, TALLY_MAX * sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    return counters == MAP_FAILED ? NULL : counters;
}

void restart_tally_main(void *payload, size_t payload_size, void *target_args)
{
    static uint32_t *counters;
    const tally_message *m = payload;
    (void)target_args;
    if (counters == NULL)
        counters = open_counters();
    if (counters == NULL || payload_size != sizeof *m || m->number >= TALLY_MAX) {
        (void)tc_reply_error(TC_E_INVALID, "no counter");
        return;
    }
    const uint32_t count = ++counters[m->number];
    if (m->nap_us > 0)
        (void)usleep(m->nap_us);
    (void)tc_reply(&count, sizeof count);
}
