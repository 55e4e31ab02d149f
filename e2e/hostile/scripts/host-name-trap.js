await host({ toString() { return 'echo'; } }, 1);
return { ok: 1 };
