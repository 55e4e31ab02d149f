await services.world.echo(1, { name: { toString() { return 'n'; } } });
