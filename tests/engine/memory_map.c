#include "memory_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* "7f00-7f01 rwxp ...": the second word. */
void expect_no_page_writable_and_executable(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        const char *access = strchr(line, ' ');
        if (access != NULL && access[2] == 'w' && access[3] == 'x')
            fail_msg("%s", line);
    }
    fclose(maps);
}
