extern "C" void bad_main(void *, unsigned long, void *)
{
}
unsigned long bad_payload_get_max_size(const void *, unsigned long source_size);
unsigned long bad_payload_get_max_size(const void *, unsigned long source_size)
{
    return source_size;
}
