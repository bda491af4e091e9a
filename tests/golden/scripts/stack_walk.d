struct frame { struct frame *previous; uintptr_t pc; };
BEGIN
{
	this->f = (struct frame *)uregs[R_RBP];
	this->a = *(struct frame *)copyin((uintptr_t)this->f, sizeof (struct frame));
	printf("%p %p\n", this->a.previous, this->a.pc);
}
