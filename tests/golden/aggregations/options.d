#pragma D option aggsortkey
#pragma D option aggsortrev
#pragma D option aggsize=64k
BEGIN { @a[pid] = count(); }
