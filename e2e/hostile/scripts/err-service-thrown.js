await services.world.fail(1);
