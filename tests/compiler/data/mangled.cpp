void bad_main(void *, unsigned long, void *);
void bad_main(void *, unsigned long, void *)
{
}
