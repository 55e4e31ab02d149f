const line = 'x'.repeat(1000);
for (let i = 0; i < 10000; i++) console.log(line, i);
return { ok: 1 };
