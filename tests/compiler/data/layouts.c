#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum alike_kind { FIRST, SECOND = 7 };
struct alike_part {
    uint8_t bytes[3];
    _Bool flag;
    enum alike_kind kind;
};
struct alike {
    uint32_t low : 3, high : 29;
    int64_t big;
    double real;
    struct alike_part parts[2][3];
    union {
        float single;
        uint32_t bits;
    };
    _Atomic uint16_t counter;
    size_t count;
    uint8_t tail[];
};
typedef struct {
    const struct alike_part *volatile next;
    void (*call)(int);
} pointers;
struct declared_only;

struct long_double {
    int before;
    long double value; /* 32 */
};
struct plain_char {
    char flag; /* 35 */
    char text[8];
    signed char said;
};
struct wide_char {
    wchar_t one; /* 40 */
    wchar_t text[4];
};
struct only_here {
    uint32_t always;
#ifdef __aarch64__
    uint64_t sometimes; /* 46 */
#else
    uint16_t otherwise;
#endif
    uint64_t behind;
};
struct bit_field {
    int8_t first;
    int : 0;
    int8_t second;
};
#ifdef __aarch64__
#define WIDTH 5
#define PACKED __attribute__((packed))
#define ALIGNED __attribute__((aligned(64)))
#define COUNT 3
#define MEANING 1
#define NUMBER float
#else
#define WIDTH 4
#define PACKED
#define ALIGNED
#define COUNT 2
#define MEANING 2
#define NUMBER struct bit_field
struct only_x86_64 { /* 71 */
    int member;
};
#endif
struct bit_width {
    unsigned low : WIDTH; /* 76 */
    unsigned high : 8;
};
struct packed {
    uint8_t first;
    uint32_t second; /* 81 */
} PACKED;
struct aligned {
    uint32_t value ALIGNED; /* 84 */
};
struct nested {
    struct {
        struct packed rows[4][COUNT]; /* 88 */
    } inner;
    struct packed good_rows[2]; /* 90 */
};
enum meaning { MEANT = MEANING };
struct enumerated {
    enum meaning meaning; /* 94 */
};
struct other_kind {
    NUMBER number; /* 97 */
};

void layouts_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    (void)target_args;
}
