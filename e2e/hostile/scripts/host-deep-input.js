const deep = {}; let at = deep; for (let i = 0; i < 1e5; i++) at = at.a = {}; try { await services.world.echo(deep); } catch (error) { return { code: error.code }; }
