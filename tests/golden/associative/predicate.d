BEGIN /!seen[pid]/ { seen[pid] = 1; }
END /seen[pid] == 1/ { seen[pid] = 0; }
