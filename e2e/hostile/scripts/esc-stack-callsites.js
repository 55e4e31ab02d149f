const reached = [];
Error.prepareStackTrace = (error, sites) => {
  for (const site of sites) {
    for (const read of ['getThis', 'getFunction', 'getEvalOrigin']) {
      try { const found = site[read](); if (typeof found === 'function' || (typeof found === 'object' && found !== null && found !== globalThis)) reached.push(read); } catch {}
    }
  }
  return 'stack';
};
try { await host('nothing', 1); } catch (error) { String(error.stack); }
try { await host('fail', 1); } catch (error) { String(error.stack); }
console.log({ get a() { String(new Error('x').stack); return 1; } });
return { reached, escaped: reached.length > 0 };
