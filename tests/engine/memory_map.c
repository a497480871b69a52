#include "memory_map.h"
#include "../support/test.h"

#include <unistd.h>

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

/* "7f00-7f01 rwxp ...": the second word. */
void expect_no_page_writable_and_executable(void)
{
    char line[512];
    FILE *maps = open_file("/proc/self/maps");
    while (fgets(line, sizeof line, maps) != NULL) {
        const char *access = strchr(line, ' ');
        if (access != NULL && access[2] == 'w' && access[3] == 'x')
            fail_msg("%s", line);
    }
    fclose(maps);
}

size_t fixed_memory_bytes(void)
{
    char line[512], access[8];
    unsigned long begin, end, inode;
    size_t sum = 0;
    FILE *maps = open_file("/proc/self/maps");
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &begin, &end, access, &inode) == 4 &&
            inode == 0 && access[0] == 'r' && access[1] == '-' && strchr(line, '[') == NULL)
            sum += end - begin;
    }
    fclose(maps);
    return sum;
}

size_t resident_bytes(void)
{
    unsigned long total, resident = 0;
    FILE *statm = open_file("/proc/self/statm");
    assert_int_equal(fscanf(statm, "%lu %lu", &total, &resident), 2);
    fclose(statm);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}
