return { 'a\u0000b': 1 };
