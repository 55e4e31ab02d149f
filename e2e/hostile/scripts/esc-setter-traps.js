const caught = [];
for (const key of ['0', '1', 'name', 'text', 'path', 'resolve', 'code', 'emit', 'console']) {
  Object.defineProperty(Object.prototype, key, { configurable: true, set(v) { caught.push([key, typeof v]); }, get() { return undefined; } });
  Object.defineProperty(Array.prototype, key, { configurable: true, set(v) { caught.push([key, typeof v]); }, get() { return undefined; } });
}
try { await host('fail', { a: [1] }); } catch {}
console.log({ a: [1, 2] }, 'x');
const seen = caught.filter(([, type]) => type === 'function').map(([key]) => key);
for (const key of ['0', '1', 'name', 'text', 'path', 'resolve', 'code', 'emit', 'console']) { delete Object.prototype[key]; delete Array.prototype[key]; }
return { seen, escaped: seen.length > 0 };
