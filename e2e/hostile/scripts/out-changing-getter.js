let reads = 0;
const value = {};
Object.defineProperty(value, 'n', { enumerable: true, get: () => (++reads === 1 ? 1 : () => reads) });
return value;
