for (let i = 0; ; i++) Symbol.for('k'.repeat(1000) + i);
