let chain = Promise.resolve();
for (let i = 0; i < 50; i++) chain = chain.then(() => {});
chain.then(() => services.world.echo('late')).catch(() => {});
setTimeout(() => services.world.echo('later'), 0);
services.world.echo(1).then(() => services.world.echo('latest'));
return { ok: true };
