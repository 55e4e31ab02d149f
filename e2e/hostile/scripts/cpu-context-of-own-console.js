console.log(new Proxy({}, { ownKeys() { for (;;); } }));
return { ok: 1 };
