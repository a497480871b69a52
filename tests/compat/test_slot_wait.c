/* Slots that hold no message: polling them is quiet, whatever a program wrote there. Time is
 * the test's own, so the test does not wait. */
#include "../support/test.h"

#include "ifunc_frame.h"
#include "slot_wait.h"

#include <tc/log.h>
#include <time.h>

int __wrap_clock_gettime(clockid_t clock, struct timespec *now_out);

static time_t now_s;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now_out)
{
    (void)clock;
    *now_out = (struct timespec){.tv_sec = now_s};
    return 0;
}

static unsigned line_count;
static char last_line[600];

static void count_line(void *user, tc_log_level level, const char *line)
{
    (void)user;
    (void)level;
    line_count++;
    (void)snprintf(last_line, sizeof last_line, "%s", line);
}

static int listen_to_log(void **state)
{
    line_count = 0;
    now_s += 1000;
    tc_log_set_sink(count_line, NULL);
    tc_log_set_level(TC_LOG_WARN);
    return 0;
}

static int leave_log(void **state)
{
    tc_log_set_sink(NULL, NULL);
    return 0;
}

static void poll_for_a_minute(const void *slot)
{
    for (unsigned i = 0; i < 60; i++, now_s++) {
        const uint64_t word = *(const uint64_t *)slot;
        assert_int_equal(tci_slot_wait_for_message(slot, word), UCS_ERR_NO_MESSAGE);
    }
}

TEST_WITH(memory_of_the_program_is_quiet, listen_to_log, leave_log)
{
    _Alignas(8) uint8_t slot[TCI_IFUNC_FRAME_MIN];
    for (unsigned pattern = 0; pattern < 256; pattern++) {
        memset(slot, (int)pattern, sizeof slot);
        poll_for_a_minute(slot);
    }
    for (size_t i = 0; i < sizeof slot; i++)
        slot[i] = (uint8_t)(i * 37 + 1);
    poll_for_a_minute(slot);
    assert_int_equal(line_count, 0);
}

TEST_WITH(a_message_behind_its_slot_is_reported_once, listen_to_log, leave_log)
{
    _Alignas(8) uint8_t slot[2 * TCI_IFUNC_FRAME_MIN];
    const tci_ifunc_header header = {.kind = TCI_CODE_ARCHIVE};
    memset(slot, 0x2a, sizeof slot);
    (void)tci_ifunc_header_seal(&header, slot + 16);
    poll_for_a_minute(slot);
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(last_line, "a message begins 16 bytes behind a slot"));
}
