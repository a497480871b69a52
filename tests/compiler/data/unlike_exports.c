#include <tc/entry.h>

int taken(int x) TC_SYMBOL(taken, "(i32)->i32");
int retaken(long x) TC_SYMBOL(taken, "(i64)->i32");
int given(int x) TC_SYMBOL(given, "(i32)->i32");

int taken(int x)
{
    return x;
}

int retaken(long x)
{
    return (int)x;
}

int given(int x)
{
    return x;
}
