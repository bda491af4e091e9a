/* No process has number 0. */
pid0:a.out:main:entry
{
}
