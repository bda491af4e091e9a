/*
 * Descriptors, seek and access modes, which scripts compare with.
 */
inline int STDIN_FILENO = 0;
inline int STDOUT_FILENO = 1;
inline int STDERR_FILENO = 2;

inline int SEEK_SET = 0;
inline int SEEK_CUR = 1;
inline int SEEK_END = 2;

inline int F_OK = 0;
inline int X_OK = 1;
inline int W_OK = 2;
inline int R_OK = 4;
