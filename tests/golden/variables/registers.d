BEGIN { trace(uregs[0]); trace(uregs[R_PC]); trace(uregs[R_SP]); }
