"""The compiler's data classes are those of dif.records."""

from dif.records import Record as Record
from dif.records import fresh as fresh
