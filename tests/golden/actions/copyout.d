#pragma D option destructive
BEGIN { this->b = alloca(16); copyout(this->b, arg0, 16); copyoutstr("text", arg1, 8); }
