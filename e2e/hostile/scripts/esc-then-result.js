const caught = [];
Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { return (resolve, reject) => { caught.push(resolve, reject); delete Object.prototype.then; resolve('mine'); }; } });
const value = await services.world.echo({ a: 1 });
delete Object.prototype.then;
const foreign = caught.filter((fn) => { try { return fn.constructor !== Function || Object.getPrototypeOf(fn) !== Function.prototype || fn.constructor('return typeof process')() !== 'undefined'; } catch { return false; } });
return { value, caught: caught.length, escaped: foreign.length > 0 };
