/** `npm run properties`: nothing is spared. */
export const isThorough: boolean = process.env["WOML_PROPERTIES"] === "all";

/**
 * How often a property is tried that does not have to meet something rare: as often as it says with `npm run properties`, a fifth of that, and
 * twenty times at least, with every `npm test`.
 */
export const tried = (times: number): number => (isThorough ? times : Math.min(times, Math.max(20, Math.ceil(times / 5))));
