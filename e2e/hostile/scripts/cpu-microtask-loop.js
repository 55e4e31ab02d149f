(async () => { for (;;) await 0; })();
return { ok: 1 };
