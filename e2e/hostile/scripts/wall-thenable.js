return { then() {} };
