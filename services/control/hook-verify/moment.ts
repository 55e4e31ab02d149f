/** How far the time that was signed may be from ours: what is older may be somebody's recording. */
const TOLERANCE_S = 300;

const SECONDS = /^[0-9]{1,12}$/;

/** Of seconds since 1970, as they stand in a header. */
export function isTimely(seconds: string, now: number): boolean {
  return SECONDS.test(seconds) && Math.abs(now / 1_000 - Number(seconds)) <= TOLERANCE_S;
}
