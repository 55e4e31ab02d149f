for (let i = 0; i < 1e7; i++) setTimeout(() => {}, 1e6); return { ok: 1 };
