throw Object.assign(() => {}, { message: { toString() { throw 1; } }, toString() { throw 2; } });
