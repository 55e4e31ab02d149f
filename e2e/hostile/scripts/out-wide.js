return Array.from({ length: 3e6 }, (_, i) => i);
