const rates = { de: 19 };

export const run = (country: "de"): number => rates[country];
