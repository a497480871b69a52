long label_sources_digit(char c);
long label_sources_other(const char *text);

long label_sources_other(const char *text)
{
    static const void *const places[] = {&&end, &&digit};
    long sum = 0;
    goto *places[*text >= '0' && *text <= '9'];
digit:
    sum += label_sources_digit(*text++);
    goto *places[*text >= '0' && *text <= '9'];
end:
    return sum;
}
