/** Any constant of ours: session-level advisory lock held while migrating, so that many starters do each thing once. */
export const LOCK = 0x574f4d4c;

/** With a run's hash: shared by whoever stores a decision about an approval of it, waited for by whoever says that nobody had decided in time. */
export const DECISIONS = 0x41505056;
