struct node { int value; struct node *next; } *head;
BEGIN { trace(head->next->next->next->value); }
