/** A version, or a part of one as in `1`, `1.2`, `1.x`; nothing of pre-releases, because a release has none. */
const NUMBER = "(?:0|[1-9][0-9]{0,8})";
const PART = `${NUMBER}(?:\\.[xX*](?:\\.[xX*])?|\\.${NUMBER}(?:\\.(?:${NUMBER}|[xX*]))?)?`;
const RANGE = new RegExp(`^(?:[xX*]|(?:\\^|~|>=?|<=?|=)?${PART}(?: (?:\\^|~|>=?|<=?|=)?${PART})*)$`);
const LONGEST = 64;

/**
 * Whether `text` is a range of versions: `*`, an exact version, `1.x`, `^1.2`, `~1.2.3`, or comparators with one blank between them that must
 * all hold (`>=1.2.0 <2.0.0`). A part of semver's ranges, with semver's meaning.
 */
export const isRange = (text: string): boolean => text.length <= LONGEST && RANGE.test(text);
