BEGIN { spec[pid] = speculation(); }
BEGIN { speculate(spec[pid]); stack(4); }
END { commit(spec[pid]); spec[pid] = 0; }
