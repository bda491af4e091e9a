BEGIN, END, ERROR { trace(probename); }
