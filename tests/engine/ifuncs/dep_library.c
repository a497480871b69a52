/* A library for .deps lists, built twice with different answers. */
int dep_answer(void);
int dep_variable = DEP_VALUE;

int dep_answer(void)
{
    return 10 * DEP_VALUE;
}
