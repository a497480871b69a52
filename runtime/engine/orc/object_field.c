#include "object_field.h"

#include <string.h>

#define PAGE 4096

unsigned tci_object_field_bytes(tci_object_field field)
{
    return field == TCI_FIELD_NEAR64 ? 8 : 4;
}

static bool fits(int64_t value, unsigned bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* Sets the `bits` of the instruction from bit `at` on. */
static void set_bits(uint32_t *instruction, unsigned at, unsigned bits, int64_t value)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1) << at;
    *instruction = (*instruction & ~mask) | ((uint32_t)(uint64_t)value << at & mask);
}

/* Sets the field of adr and adrp, which have the two low bits apart. */
static bool set_split(uint32_t *instruction, int64_t value)
{
    if (!fits(value, 21))
        return false;
    set_bits(instruction, 29, 2, value);
    set_bits(instruction, 5, 19, value >> 2);
    return true;
}

static bool set_branch(uint32_t *instruction, unsigned at, unsigned bits, int64_t bytes)
{
    if (bytes % 4 != 0 || !fits(bytes / 4, bits))
        return false;
    set_bits(instruction, at, bits, bytes / 4);
    return true;
}

static bool set_low(uint32_t *instruction, unsigned unit, int64_t target)
{
    int64_t low = target & (PAGE - 1);
    if ((low & (((int64_t)1 << unit) - 1)) != 0)
        return false;
    set_bits(instruction, 10, 12, low >> unit);
    return true;
}

static int64_t page_of(int64_t address)
{
    return address - (address & (PAGE - 1));
}

static bool set(tci_object_field field, unsigned unit, uint32_t *word, int64_t offset,
                int64_t target)
{
    switch (field) {
    case TCI_FIELD_NEAR32:
        *word = (uint32_t)(uint64_t)(target - offset);
        return fits(target - offset, 32);
    case TCI_FIELD_ADR:
        return set_split(word, target - offset);
    case TCI_FIELD_PAGE:
        return set_split(word, (page_of(target) - page_of(offset)) / PAGE);
    case TCI_FIELD_LOW12:
        return set_low(word, unit, target);
    case TCI_FIELD_BRANCH26:
        return set_branch(word, 0, 26, target - offset);
    case TCI_FIELD_BRANCH19:
        return set_branch(word, 5, 19, target - offset);
    case TCI_FIELD_BRANCH14:
        return set_branch(word, 5, 14, target - offset);
    case TCI_FIELD_NEAR64:
        break;
    }
    return false;
}

bool tci_object_field_write(tci_object_field field, unsigned unit, uint8_t *bytes,
                            int64_t offset, int64_t target)
{
    uint32_t word;
    if (field == TCI_FIELD_NEAR64) {
        int64_t distance = target - offset;
        memcpy(bytes, &distance, sizeof distance);
        return true;
    }
    memcpy(&word, bytes, sizeof word);
    bool done = set(field, unit, &word, offset, target);
    memcpy(bytes, &word, sizeof word);
    return done;
}
