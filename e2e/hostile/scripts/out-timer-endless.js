const tick = () => setTimeout(tick, 0); tick(); await services.world.never(1);
