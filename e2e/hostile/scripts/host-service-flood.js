const p = []; for (let i = 0; i < 1e5; i++) p.push(services.world.echo(i)); const all = await Promise.allSettled(p); return { ok: all.filter((one) => one.status === 'fulfilled').length };
