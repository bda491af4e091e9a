/* Past the end of the function. */
pid$1:a.out:sign:fffff
{
}
