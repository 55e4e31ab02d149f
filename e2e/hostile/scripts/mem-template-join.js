const kept = [];
for (let i = 0; ; i++) kept.push(Array.from({ length: 4096 }, (_, n) => `${i}:${n}`).join('-'));
