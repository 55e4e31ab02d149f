const inner = ['emit', 'own', 'raw', 'lazy', 'setting', 'bounds', 'resolve', 'reject', 'fn', 'handles', 'encoding', 'clock'];
const keys = ['get', 'set', 'value', 'enumerable', 'configurable', 'writable', ...inner, '0', '1', '2', 'name', 'input', 'refused', 'text', 'path', 'code', 'then', 'toJSON', 'status', 'headers', 'data'];
const seen = [];
const watch = Object.create(null);
const look = (from) => {
  if (typeof from !== 'object' || from === null) return;
  for (const key of Reflect.ownKeys(from)) if (inner.includes(key) && typeof from[key] === 'function') seen.push(key);
};
for (const key of keys) for (const owner of [Object.prototype, Array.prototype, Function.prototype])
  Object.defineProperty(owner, key, { __proto__: null, configurable: true, get() { if (this !== watch) look(this); return undefined; }, set(value) { look(this); if (typeof value === 'function') seen.push('set ' + key); Object.defineProperty(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true }); } });
const attempts = [
  () => Date.now(), () => new Intl.DateTimeFormat('en').formatToParts(), () => crypto.randomUUID(), () => btoa(secrets.KEY), () => encodeURIComponent(secrets.KEY),
  () => new TextDecoder().decode(new TextEncoder().encode('a')), () => structuredClone([{ a: 1 }]), () => Math.random(), () => setTimeout(() => {}, 1), () => console.log({ a: 1 }),
  () => services.world.echo({ a: 1 }), () => services.world.fail(1, { name: 'x' }), () => services.world.echo(1, { other: 1 }), () => host('echo', [1]),
];
const results = [];
for (const attempt of attempts) { try { results.push(typeof (await attempt())); } catch (error) { results.push('failed'); } }
for (const key of keys) for (const owner of [Object.prototype, Array.prototype, Function.prototype]) delete owner[key];
return { seen, results, escaped: seen.length > 0 };
