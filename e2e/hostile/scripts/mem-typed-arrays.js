const kept = [];
for (;;) kept.push(new Float64Array(131072).fill(1));
