Promise.reject(new Proxy(new Error('x'), { get() { for (;;); }, getPrototypeOf() { for (;;); } }));
return { ok: 1 };
