/** Any constant of ours: session-level advisory lock held while migrating, so that many starters do each thing once. */
export const LOCK = 0x574f4d4c;
