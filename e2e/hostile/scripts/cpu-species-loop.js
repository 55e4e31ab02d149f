Object.defineProperty(Promise.prototype, 'constructor', { get() { for (;;); } });
await 0;
return { ok: 1 };
