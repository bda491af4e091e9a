BEGIN { trace(getmajor((dev_t)arg0)); trace(getminor((dev_t)arg0)); trace(ddi_pathname((void *)arg1, 0)); }
