this int n;
this string s;
BEGIN { this->n = 1; this->s = execname; this->other = this->n * 2; trace(this->other); }
