const taken = [];
const trap = (owner, key) => { const was = owner[key]; owner[key] = function (...args) { taken.push(key); return was.apply(this, args); }; };
Array.prototype.toJSON = () => { taken.push('toJSON'); return 'forged'; };
for (const [owner, key] of [[JSON, 'stringify'], [JSON, 'parse'], [String.prototype, 'slice'], [Reflect, 'apply'], [Object, 'keys'], [Array, 'isArray'], [Number, 'isFinite'], [Function.prototype, 'call'], [Promise.prototype, 'then']]) trap(owner, key);
delete Array.prototype.toJSON;
return { honest: true, taken, escaped: taken.length > 0 };
