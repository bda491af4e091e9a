/* No such function. */
pid$1:a.out:nowhere:entry
{
}
