/* Numbers of more bits than anybody needs, for which the compiler would take for ever. */
void wide_number_main(void *payload, unsigned long payload_size, void *target_args);

void wide_number_main(void *payload, unsigned long payload_size, void *target_args)
{
    unsigned _BitInt(8000000) *number = payload;
    (void)payload_size;
    *number *= *number;
    *(int *)target_args = *number == 17;
}
