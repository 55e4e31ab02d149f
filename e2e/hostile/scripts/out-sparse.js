return [1, , 3];
