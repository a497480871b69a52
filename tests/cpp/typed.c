/* A function with a prototype: the sum of its numbers by a scale, shifted. */
#include <stdint.h>
#include <tc/entry.h>

TC_PROTOTYPE(typed, "(f64,{i32,u8},f32[])->f64");

struct message {
    double scale;
    struct {
        int32_t shift;
        uint8_t unused;
    } offset;
    float values[];
};

void typed_main(void *payload, size_t size, void *target_args)
{
    const struct message *message = payload;
    double sum = 0;
    (void)target_args;
    for (size_t i = 0; i < (size - offsetof(struct message, values)) / sizeof(float); i++)
        sum += (double)message->values[i];
    sum = sum * message->scale + message->offset.shift;
    tc_reply(&sum, sizeof sum);
}
