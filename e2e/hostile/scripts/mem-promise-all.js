const kept = [];
for (;;) kept.push(Promise.all(Array.from({ length: 1000 }, () => new Promise(() => {}))));
