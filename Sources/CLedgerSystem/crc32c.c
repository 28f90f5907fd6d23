#include "CLedgerSystem.h"

#include <pthread.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// The polynomial of Castagnoli, its bits reversed.
#define POLYNOMIAL 0x82F63B78u

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void fill_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? POLYNOMIAL : 0);
        tables[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xFF];
        }
}

uint32_t ledger_crc32c_portable(uint32_t seed, const void *bytes, size_t count) {
    pthread_once(&tables_once, fill_tables);
    const uint8_t *next = bytes;
    uint32_t crc = ~seed;
    for (; count >= 8; count -= 8, next += 8) {
        uint32_t low = crc ^ ((uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24);
        crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^ tables[4][low >> 24]
            ^ tables[3][next[4]] ^ tables[2][next[5]] ^ tables[1][next[6]] ^ tables[0][next[7]];
    }
    for (; count > 0; count--) crc = (crc >> 8) ^ tables[0][(crc ^ *next++) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__) || defined(__aarch64__)

// The instruction gives a result each cycle, but three cycles after it was asked: three parts of a long stretch are
// summed beside each other, and put together as if the later ones had been zeros. Mark Adler's way.

#define LANE 4096

static uint32_t behind_lane[4][256];
static pthread_once_t lanes_once = PTHREAD_ONCE_INIT;

/// What each byte of a sum comes to when LANE zeros follow.
static void fill_lanes(void) {
    pthread_once(&tables_once, fill_tables);
    uint32_t bits[32];
    for (int bit = 0; bit < 32; bit++) {
        uint32_t crc = 1u << bit;
        for (int zero = 0; zero < LANE; zero++) crc = (crc >> 8) ^ tables[0][crc & 0xFF];
        bits[bit] = crc;
    }
    for (int place = 0; place < 4; place++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t sum = 0;
            for (int bit = 0; bit < 8; bit++)
                if (byte >> bit & 1) sum ^= bits[place * 8 + bit];
            behind_lane[place][byte] = sum;
        }
}

static inline uint32_t followed_by_lane(uint32_t crc) {
    return behind_lane[0][crc & 0xFF] ^ behind_lane[1][crc >> 8 & 0xFF] ^ behind_lane[2][crc >> 16 & 0xFF]
        ^ behind_lane[3][crc >> 24];
}

static inline uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

#endif

#if defined(__x86_64__)

/// How much is folded at a time.
#define FOLD 256

/// A sum of `count` bytes, a multiple of FOLD, before its last complement: each 128 bits are carried FOLD bytes on by
/// two products without carries (Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel
/// 2009; the factors are x^(8 FOLD + 32) and x^(8 FOLD - 32) modulo the polynomial, their 32 bits reversed, then shifted
/// left by one), which leaves FOLD bytes that have the same sum as all.
__attribute__((target("avx512f,vpclmulqdq,sse4.2")))
static uint32_t crc32c_folded(uint32_t crc, const uint8_t *bytes, size_t count) {
    const __m512i factors = _mm512_set4_epi64(0xB9E02B86, 0xDCB17AA4, 0xB9E02B86, 0xDCB17AA4);
    __m512i part[4];
    for (int place = 0; place < 4; place++) part[place] = _mm512_loadu_si512(bytes + 64 * place);
    part[0] = _mm512_xor_si512(part[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
    for (size_t start = FOLD; start < count; start += FOLD)
        for (int place = 0; place < 4; place++) {
            __m512i low = _mm512_clmulepi64_epi128(part[place], factors, 0x00);
            __m512i high = _mm512_clmulepi64_epi128(part[place], factors, 0x11);
            __m512i next = _mm512_loadu_si512(bytes + start + 64 * place);
            part[place] = _mm512_ternarylogic_epi64(low, high, next, 0x96);
        }
    uint64_t rest = 0;
    for (int place = 0; place < FOLD / 8; place++)
        rest = __builtin_ia32_crc32di(rest, word_at((const uint8_t *)part + 8 * place));
    return (uint32_t)rest;
}

static int can_fold(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq"); }

__attribute__((target("sse4.2")))
static uint32_t crc32c_instruction(uint32_t seed, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t crc = ~seed;
    if (count >= 4 * FOLD && can_fold()) {
        size_t folded = count - count % FOLD;
        crc = crc32c_folded((uint32_t)crc, next, folded);
        next += folded;
        count -= folded;
    }
    if (count >= 3 * LANE) pthread_once(&lanes_once, fill_lanes);
    for (; count >= 3 * LANE; count -= 3 * LANE, next += 3 * LANE) {
        uint64_t second = 0, third = 0;
        for (size_t place = 0; place < LANE; place += 8) {
            crc = __builtin_ia32_crc32di(crc, word_at(next + place));
            second = __builtin_ia32_crc32di(second, word_at(next + LANE + place));
            third = __builtin_ia32_crc32di(third, word_at(next + 2 * LANE + place));
        }
        crc = followed_by_lane((uint32_t)crc) ^ second;
        crc = followed_by_lane((uint32_t)crc) ^ third;
    }
    for (; count >= 8; count -= 8, next += 8) {
        crc = __builtin_ia32_crc32di(crc, word_at(next));
    }
    uint32_t rest = (uint32_t)crc;
    for (; count > 0; count--) rest = __builtin_ia32_crc32qi(rest, *next++);
    return ~rest;
}

static int has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__)

__attribute__((target("crc")))
static uint32_t crc32c_instruction(uint32_t seed, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint32_t crc = ~seed;
    if (count >= 3 * LANE) pthread_once(&lanes_once, fill_lanes);
    for (; count >= 3 * LANE; count -= 3 * LANE, next += 3 * LANE) {
        uint32_t second = 0, third = 0;
        for (size_t place = 0; place < LANE; place += 8) {
            crc = __builtin_arm_crc32cd(crc, word_at(next + place));
            second = __builtin_arm_crc32cd(second, word_at(next + LANE + place));
            third = __builtin_arm_crc32cd(third, word_at(next + 2 * LANE + place));
        }
        crc = followed_by_lane(crc) ^ second;
        crc = followed_by_lane(crc) ^ third;
    }
    for (; count >= 8; count -= 8, next += 8) crc = __builtin_arm_crc32cd(crc, word_at(next));
    for (; count > 0; count--) crc = __builtin_arm_crc32cb(crc, *next++);
    return ~crc;
}

static int has_instruction(void) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & (1 << 7)) != 0;  // HWCAP_CRC32
#else
    return 1;  // every 64-bit Apple processor since the A10
#endif
}

#else

static uint32_t crc32c_instruction(uint32_t seed, const void *bytes, size_t count) {
    return ledger_crc32c_portable(seed, bytes, count);
}

static int has_instruction(void) { return 0; }

#endif

uint32_t ledger_crc32c(uint32_t seed, const void *bytes, size_t count) {
    return has_instruction() ? crc32c_instruction(seed, bytes, count) : ledger_crc32c_portable(seed, bytes, count);
}
