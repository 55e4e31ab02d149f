import { type Static, Type } from "typebox";

const DAY_MS = 86_400_000;
const closed = { additionalProperties: false };
const Delay = Type.Integer({ minimum: 1, maximum: DAY_MS });

/**
 * How a step is tried again after a failure known to be one. `maxAttempts` counts all tries. The delay before attempt n is `delayMs`
 * (fixed) or min(delayMs · 2^(n−2), maxDelayMs) (exponential); no jitter.
 */
export const Retry = Type.Object(
  {
    maxAttempts: Type.Integer({ minimum: 2, maximum: 10 }),
    backoff: Type.Union([
      Type.Object({ kind: Type.Literal("fixed"), delayMs: Delay }, closed),
      Type.Object({ kind: Type.Literal("exponential"), delayMs: Delay, maxDelayMs: Delay }, closed),
    ]),
  },
  closed,
);
export type Retry = Static<typeof Retry>;

/**
 * A workflow's `<config>`. `timeoutMs` counts from the first execution start. At most `concurrency` runs are active at a time, at most
 * `rateLimit.count` begin within any `windowMs`; `queue` is the lane in which they wait. `onAmbiguous: "fail"` gives a script an error for an
 * operation of unknown outcome instead of waiting for a person.
 */
export const Policy = Type.Object(
  {
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 * DAY_MS })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    rateLimit: Type.Optional(
      Type.Object(
        { count: Type.Integer({ minimum: 1, maximum: 1_000_000 }), windowMs: Type.Integer({ minimum: 1, maximum: 365 * DAY_MS }) },
        closed,
      ),
    ),
    queue: Type.Optional(Type.String({ pattern: "^[a-z][a-z0-9]*([._-][a-z0-9]+)*$", maxLength: 128 })),
    onAmbiguous: Type.Optional(Type.Literal("fail")),
  },
  closed,
);
export type Policy = Static<typeof Policy>;
