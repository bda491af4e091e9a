BEGIN { stack(); stack(5); ustack(); ustack(7); ustack(7, 512); jstack(); jstack(9, 100); }
