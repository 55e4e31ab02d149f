Promise.reject({ get message() { for (;;); }, get name() { for (;;); }, get stack() { for (;;); } });
return { ok: 1 };
