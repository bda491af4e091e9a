pid$target::main:entry { trace(arg0); }
pid$target:libc:malloc:return { trace(arg1); }
pid$target::main:10 { trace(uregs[R_SP]); }
