BEGIN { tracemem(arg0, 16); tracemem(arg0, 64, 8); tracemem(arg0, 64, arg1); }
