globalThis.leftBehind = 'secret';
Object.prototype.leftBehind = 'secret';
return { ok: true };
