return { at: new Map([[1, 2]]) };
