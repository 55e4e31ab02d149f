const tries = [
  () => { services.world.echo = () => 'mine'; }, () => { services.world = {}; }, () => { secrets.KEY = 'x'; }, () => { delete secrets.KEY; }, () => { services.other = 1; },
  () => Object.defineProperty(services.world, 'echo', { value: 1 }), () => Object.setPrototypeOf(services, {}), () => { crypto.randomUUID = 1; }, () => { services.world.echo.call = 1; }, () => { attempt.number = 2; },
];
const done = tries.filter((attempt) => { try { attempt(); return true; } catch { return false; } }).length;
const odd = [services, services.world, secrets].filter((one) => Object.getPrototypeOf(one) !== null);
const foreign = [services.world.echo, crypto.getRandomValues, setTimeout, btoa, TextDecoder, Date].filter((fn) => fn.constructor !== Function || fn.constructor('return typeof process')() !== 'undefined');
return { done, escaped: done > 0 || odd.length > 0 || foreign.length > 0 };
