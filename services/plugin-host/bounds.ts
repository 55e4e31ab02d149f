const KIB = 1_024;
const MIB = 1_024 * KIB;
const MINUTE_MS = 60_000;

/** Every size, count and time the plugin host holds anyone to. Bytes are UTF-8. */
export interface Bounds {
  readonly frameBytes: number;
  readonly inputBytes: number;
  readonly resultBytes: number;
  readonly resultDepth: number;
  readonly manifestBytes: number;
  readonly artefactBytes: number;
  readonly pieceBytes: number;
  readonly releaseCacheBytes: number;
  readonly secretBytes: number;
  readonly secrets: number;
  readonly secretsBytes: number;
  readonly codeChars: number;
  readonly messageChars: number;
  readonly evidenceChars: number;
  readonly running: number;
  readonly runningPerTenant: number;
  readonly runningPerProcess: number;
  readonly requestsPerCall: number;
  readonly requestsInFlight: number;
  readonly requestsRefused: number;
  readonly abortMs: number;
  readonly logLines: number;
  readonly logChars: number;
  readonly lateFrames: number;
  readonly unsentBytes: number;
  readonly keptCount: number;
  readonly keptBytes: number;
  readonly runsFenced: number;
  readonly fenceKeptMs: number;
  readonly wantedMs: number;
  readonly graceMs: number;
  readonly quietMs: number;
  readonly clockEveryMs: number;
  readonly outOfReachMs: number;
  readonly askAgainMs: { readonly shortest: number; readonly usual: number; readonly longest: number };
}
export const BOUNDS: Bounds = {
  frameBytes: 16 * MIB,
  /** As it is stored, with handles spelled out. */
  inputBytes: 2 * MIB,
  resultBytes: MIB,
  resultDepth: 1_000,
  manifestBytes: 4 * MIB,
  artefactBytes: 20 * MIB,
  pieceBytes: MIB,
  releaseCacheBytes: 128 * MIB,
  secretBytes: 64 * KIB,
  secrets: 1_024,
  /** Of all values of a dispatch: each is looked for in all that comes back, in every form it may have. */
  secretsBytes: 128 * KIB,
  codeChars: 128,
  messageChars: 1_024,
  evidenceChars: 512,
  /** Calls that run at once, in all, of a tenant and in a process. */
  running: 2_000,
  runningPerTenant: 256,
  runningPerProcess: 64,
  requestsPerCall: 1_000,
  requestsInFlight: 32,
  /** Requests beyond those two bounds that a call may try, before its process is taken for one that floods. */
  requestsRefused: 100,
  /** The broker ends what was aborted at once; if it ever did not, the call would be judged as if a byte had left. */
  abortMs: 10_000,
  logLines: 100,
  logChars: 4 * KIB,
  /** Frames about calls that are over, before the process is taken for one that floods. */
  lateFrames: 200,
  /** What a process may leave unread in its channel; one that took so much at once would outgrow its memory. */
  unsentBytes: 96 * MIB,
  keptCount: 20_000,
  keptBytes: 128 * MIB,
  runsFenced: 200_000,
  /** For so long the epoch of a run that nobody asked about is certainly remembered; no lease is that long. */
  fenceKeptMs: 60 * MINUTE_MS,
  wantedMs: 30_000,
  /** After its time a call's plugin may so long come to an end; then its process takes no more calls. */
  graceMs: 5_000,
  /** A host that drains waits so long for what was chosen for it before it said so. */
  quietMs: 1_000,
  clockEveryMs: 1_000,
  /** So long a host whose line broke under a dispatch may come back before the engine hears that it is out of reach. */
  outOfReachMs: 5_000,
  askAgainMs: { shortest: 100, usual: 1_000, longest: 60 * MINUTE_MS },
};
