BEGIN { trace(basename("/a/b")); trace(dirname("/a/b")); trace(cleanpath("/a/./b/../c")); }
