const loop = () => { for (let i = 0; i < 1e5; i++); setTimeout(loop, 0); }; loop(); await new Promise(() => {});
