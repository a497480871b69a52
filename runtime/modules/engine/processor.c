#include "modules/engine/processor.h"

#include "base/arch.h"

#include <stdint.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof(table)[0])

/* Compilers number more features with each version. Bits that are unknown here stay 0. */
enum { FEATURE_WORDS = 32 };

#if defined(TCI_ARCH_X86_64)

/* The layout of libgcc and compiler-rt, with the same numbers in both. Each linked file has its
 * own hidden copy; that of this library has at least KNOWN_WORDS since GCC 11. */
typedef struct cpu_model {
    uint32_t vendor;
    uint32_t type;
    uint32_t subtype;
    uint32_t features[1];
} cpu_model;

enum { KNOWN_WORDS = 3 };
extern const cpu_model __cpu_model;
extern const uint32_t __cpu_features2[KNOWN_WORDS];

static cpu_model model;
static uint32_t features[FEATURE_WORDS];

static void fill(void)
{
    __builtin_cpu_init();
    model = __cpu_model;
    memcpy(features, __cpu_features2, sizeof __cpu_features2);
}

/* Called by __builtin_cpu_init. */
static int is_filled(void)
{
    return 0;
}

static const tci_host_symbol names[] = {
    {"__cpu_model", &model},
    {"__cpu_features2", features},
    {"__cpu_indicator_init", (void *)(uintptr_t)is_filled},
};

#elif defined(TCI_ARCH_AARCH64)

#include <sys/auxv.h>

#define BIT(n) ((uint64_t)1 << (n))

/* Bits of AT_HWCAP and AT_HWCAP2, which are all required, and the feature's number. A number
 * that compilers have given to two features one after the other requires the bits of both. A
 * feature without such a bit stays 0: for the code, the processor lacks it. */
static const struct feature_row {
    uint64_t hwcap;
    uint64_t hwcap2;
    unsigned feature;
} rows[] = {
    {0, BIT(16), 0},            /* RNG */
    {BIT(27), 0, 1},            /* FLAGM */
    {0, BIT(7), 2},             /* FLAGM2 */
    {BIT(23), 0, 3},            /* FP16FML */
    {BIT(20), 0, 4},            /* DOTPROD */
    {BIT(18) | BIT(19), 0, 5},  /* SM3, SM4 */
    {BIT(12), 0, 6},            /* RDM */
    {BIT(8), 0, 7},             /* LSE */
    {BIT(0), 0, 8},             /* FP */
    {BIT(1), 0, 9},             /* SIMD */
    {BIT(7), 0, 10},            /* CRC */
    {BIT(5), BIT(34), 11},      /* SHA1, then CSSC */
    {BIT(6), 0, 12},            /* SHA2 */
    {BIT(17) | BIT(21), 0, 13}, /* SHA3, SHA512 */
    {BIT(3), 0, 14},            /* AES */
    {BIT(4), 0, 15},            /* PMULL */
    {BIT(9) | BIT(10), 0, 16},  /* FP16, of scalars and vectors */
    {BIT(24), 0, 17},           /* DIT */
    {BIT(16), 0, 18},           /* DPB */
    {0, BIT(0), 19},            /* DPB2 */
    {BIT(13), 0, 20},           /* JSCVT */
    {BIT(14), 0, 21},           /* FCMA */
    {BIT(15), 0, 22},           /* RCPC */
    {BIT(26), 0, 23},           /* RCPC2 */
    {0, BIT(8), 24},            /* FRINTTS */
    {0, BIT(15), 25},           /* DGH */
    {0, BIT(13), 26},           /* I8MM */
    {0, BIT(14), 27},           /* BF16 */
    {0, BIT(32), 28},           /* EBF16 */
    {0, BIT(21), 29},           /* RPRES */
    {BIT(22), 0, 30},           /* SVE */
    {0, BIT(12), 31},           /* SVE_BF16 */
    {0, BIT(33), 32},           /* SVE_EBF16 */
    {0, BIT(9), 33},            /* SVE_I8MM */
    {0, BIT(10), 34},           /* SVE_F32MM */
    {0, BIT(11), 35},           /* SVE_F64MM */
    {0, BIT(1), 36},            /* SVE2 */
    {0, BIT(2), 37},            /* SVE_AES */
    {0, BIT(3), 38},            /* SVE_PMULL128 */
    {0, BIT(4), 39},            /* SVE_BITPERM */
    {0, BIT(5), 40},            /* SVE_SHA3 */
    {0, BIT(6), 41},            /* SVE_SM4 */
    {0, BIT(23), 42},           /* SME */
    {0, BIT(18), 43},           /* MEMTAG */
    {0, BIT(18), 44},           /* MEMTAG2 */
    {0, BIT(22), 45},           /* MEMTAG3 */
    {BIT(29), 0, 46},           /* SB */
    {BIT(28), 0, 48},           /* SSBS */
    {BIT(28), 0, 49},           /* SSBS2 */
    {0, BIT(17), 50},           /* BTI */
    {0, BIT(31), 54},           /* WFXT */
    {0, BIT(25), 55},           /* SME_F64 */
    {0, BIT(24), 56},           /* SME_I64 */
    {0, BIT(37), 57},           /* SME2 */
    {0, BIT(46), 58},           /* RCPC3 */
    {0, BIT(43), 59},           /* MOPS */
};

enum { FEATURES_ARE_KNOWN = 63 };

static uint64_t features[FEATURE_WORDS / 2];

static void fill(void)
{
    const uint64_t hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
    for (size_t i = 0; i < ROWS(rows); i++) {
        if ((hwcap & rows[i].hwcap) == rows[i].hwcap &&
            (hwcap2 & rows[i].hwcap2) == rows[i].hwcap2)
            features[0] |= BIT(rows[i].feature);
    }
    features[0] |= BIT(FEATURES_ARE_KNOWN);
}

/* Called by resolvers of GNU ifuncs, with their own arguments or without any. */
static void is_filled(void)
{
}

static const tci_host_symbol names[] = {
    {"__aarch64_cpu_features", features},
    {"__init_cpu_features", (void *)(uintptr_t)is_filled},
    {"__init_cpu_features_resolver", (void *)(uintptr_t)is_filled},
};

#else
#error "what do compilers ask for the processor by here?"
#endif

_Static_assert(ROWS(names) == TCI_PROCESSOR_NAMES, "the header says how many");

void tci_processor_names(tci_host_symbol names_out[TCI_PROCESSOR_NAMES])
{
    fill();
    memcpy(names_out, names, sizeof names);
}
