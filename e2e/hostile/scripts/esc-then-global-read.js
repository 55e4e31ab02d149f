return { seen: typeof leftBehind, escaped: typeof leftBehind !== 'undefined' || ({}).leftBehind !== undefined };
