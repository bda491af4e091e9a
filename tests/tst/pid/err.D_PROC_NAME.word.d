/* Neither entry nor return nor a number. */
pid$1:a.out:sign:middle
{
}
