int bad_main = 3;
