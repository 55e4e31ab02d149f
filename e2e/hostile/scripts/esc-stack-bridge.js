const found = [];
Error.prepareStackTrace = (error, sites) => { for (const site of sites) for (const value of [site.getThis?.(), site.getFunction?.()]) if (value !== undefined && value !== globalThis && value !== null) found.push(typeof value); return 'mine'; };
try { await services.world.fail(1); } catch (error) { String(error.stack); }
try { new Date({ valueOf() { throw new Error('a'); } }); } catch (error) { String(error.stack); }
try { crypto.getRandomValues({ get length() { throw new Error('b'); } }); } catch (error) { String(error.stack); }
try { await services.world.echo({ get a() { throw new Error('c'); } }); } catch (error) { String(error.stack); }
await new Promise((resolve) => setTimeout(() => { String(new Error('d').stack); resolve(); }, 1));
return { found, escaped: found.length > 0 };
