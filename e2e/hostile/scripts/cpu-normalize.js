let text = '\u0344\u1E9B\u0323'.repeat(2 ** 20);
for (;;) text = text.normalize('NFKD').slice(0, 2 ** 22);
