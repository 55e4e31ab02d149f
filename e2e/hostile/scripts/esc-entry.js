const names = Object.getOwnPropertyNames(globalThis).filter((name) => /woml|enter|ivm|isolate/i.test(name));
let again = 'none';
try { again = typeof __woml_enter__; } catch (error) { again = error.name; }
return { names, again, escaped: names.length > 0 || again === 'function' };
