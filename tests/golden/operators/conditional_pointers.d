struct node { struct node *next; int value; };
struct node *first, *second;
BEGIN { this->n = arg0 ? first : second; trace(this->n->value); }
