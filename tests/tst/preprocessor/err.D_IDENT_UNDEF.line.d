#include "values.h"
BEGIN
{
	trace(VALUE);
	trace(undefined_here);
}
