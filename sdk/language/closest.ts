/** Longer words are no slips of the pen. */
const LONGEST = 64;
const MOST = 1_000;
/** More of them are no slip either, however long the word is. */
const SLIPS = 4;

/** The candidate that `word` was most likely meant to be; null when none is near: at most a third of it may differ, and 4 characters. */
export function closest(word: string, candidates: Iterable<string>): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  const most = Math.min(SLIPS, Math.max(1, Math.floor(word.length / 3)));
  if (word.length > LONGEST) return null;
  for (const name of Iterator.from(candidates).take(MOST)) {
    if (name === word || name.length > LONGEST || Math.abs(name.length - word.length) > most) continue;
    const distance = distanceOf(word.toLowerCase(), name.toLowerCase(), most);
    if (distance <= most && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** A hint for a word that does not exist: "Did you mean x?", or `otherwise`. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const name = closest(word, candidates);
  return name === null ? otherwise : `Did you mean ${name}?`;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other (optimal string alignment); anything
 * above `most` when there are more. Looks no further from the diagonal than that.
 */
function distanceOf(a: string, b: string, most: number): number {
  const far = most + 1;
  let [before, above]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  let last = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    row[0] = i;
    let least = i;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? far) + 1, (above[j] ?? far) + 1, (above[j - 1] ?? far) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? far) + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // A swap leads over one row.
    if (least > most && last >= most) return far;
    last = least;
    [before, above] = [above, row];
  }
  return above[b.length] ?? far;
}
