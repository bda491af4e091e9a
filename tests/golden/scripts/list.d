struct item { struct item *next; char name[16]; uint32_t flags : 4, kind : 12, refs : 16; };
inline struct item *list = (struct item *)arg0;
BEGIN
/list != NULL && list->refs > 1/
{
	printf("%s %d %x\n", stringof(list->name), list->kind, list->flags);
	trace(list->next ? list->next->refs : 0);
}
