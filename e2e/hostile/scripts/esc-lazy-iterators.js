const taken = [];
const { apply } = Reflect;
for (const [owner, key] of [[Array.prototype, Symbol.iterator], [Object.getPrototypeOf([][Symbol.iterator]()), 'next'], [String.prototype, Symbol.iterator], [Function.prototype, 'bind'], [Function.prototype, 'call'], [Function.prototype, 'apply'], [Object, 'defineProperty'], [Object, 'freeze'], [Object, 'setPrototypeOf'], [Reflect, 'ownKeys'], [Reflect, 'construct'], [RegExp.prototype, 'exec'], [RegExp.prototype, 'test'], [String.prototype, 'slice'], [String.prototype, 'indexOf'], [String.prototype, 'charCodeAt'], [String, 'fromCharCode'], [Array.prototype, 'push'], [Array.prototype, 'map'], [Array.prototype, 'filter'], [Array.prototype, 'includes'], [Uint8Array.prototype, 'toHex'], [Uint8Array, 'fromBase64'], [WeakMap.prototype, 'get'], [WeakMap.prototype, 'set'], [JSON, 'parse'], [JSON, 'stringify'], [Promise.prototype, 'then'], [Promise, 'resolve']]) {
  const was = owner[key];
  Object.getOwnPropertyDescriptor(owner, key).writable && (owner[key] = function (...args) { taken[taken.length] = String(key); return apply(was, this, args); });
}
const steps = [];
const step = (name, run) => { const before = taken.length; const value = run(); steps[steps.length] = [name, taken.length - before]; return value; };
step('date', () => new Date().getTime() + Date.now());
step('date text', () => Date());
step('intl', () => new Intl.DateTimeFormat('en').format().length);
step('uuid', () => crypto.randomUUID().length);
step('btoa', () => btoa('x' + secrets.KEY).length);
step('uri', () => encodeURIComponent('x' + secrets.KEY).length);
step('encoder', () => new TextDecoder().decode(new TextEncoder().encode('ä')).length);
step('clone', () => structuredClone({ a: [1] }).a[0]);
step('random', () => Math.random());
let fired = false;
step('timer', () => setTimeout(() => { fired = true; }, 1));
const pending = step('call', () => services.world.fail({ a: [1] }, { name: 'n' }));
try { await pending; } catch (error) { step('error', () => error.code + error.stack); }
console.log({ a: 1 });
const dirty = steps.map(([name, count]) => [name, count]).filter(([, count]) => count > 0);
return { dirty, fired, escaped: dirty.length > 0 };
