int matrix[3][4];
BEGIN { matrix[1][2] = 7; trace(matrix[arg0][arg1]); }
