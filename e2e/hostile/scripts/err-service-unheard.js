services.world.fail(1); await new Promise((resolve) => setTimeout(resolve, 20)); return { ok: 1 };
