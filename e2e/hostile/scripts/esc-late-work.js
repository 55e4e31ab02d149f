host('echo', 1).then(() => { globalThis.late = true; console.log('late'); host('echo', 'late'); });
return { ok: true };
