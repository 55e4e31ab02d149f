import { type Static, Type } from "typebox";
import { Effect } from "./effect.ts";

const closed = { additionalProperties: false };
/** The protocol between host and plugin that this platform speaks. */
export const CONTRACT = 1;
const DAY_MS = 86_400_000;
const Reason = Type.String({ minLength: 1, maxLength: 1_024 });
/** Any JSON Schema 2020-12 without a remote `$ref`; `lint` looks into it. */
const Schema = Type.Record(Type.String(), Type.Unknown());

/** Where a request may go. `host` is exact, or `*.suffix` below a registrable domain, or for first-party plugins `*`. */
const NetworkPermission = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253 }),
    ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), { minItems: 1, maxItems: 16 }),
    methods: Type.Array(Type.String({ pattern: "^[A-Z]{3,16}$" }), { minItems: 1, maxItems: 16 }),
    reason: Reason,
  },
  closed,
);
/** A secret of the tenant that the plugin may name in a request; the broker fills it in. */
const SecretPermission = Type.Object(
  { name: Type.String({ pattern: "^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,127}$" }), reason: Reason },
  closed,
);

/** One callable action. Times in ms, sizes in bytes of UTF-8 JSON. */
export const OperationManifest = Type.Object(
  {
    effect: Effect,
    input: Schema,
    output: Schema,
    timeoutMs: Type.Integer({ minimum: 1, maximum: 600_000 }),
    maxInputBytes: Type.Integer({ minimum: 1, maximum: 1_048_576 }),
    maxOutputBytes: Type.Integer({ minimum: 1, maximum: 1_048_576 }),
    /** Codes of failures that a later attempt may cure. */
    retryable: Type.Optional(Type.Array(Type.String({ pattern: "^[A-Z][A-Z0-9_]{0,127}$" }), { maxItems: 64 })),
    /**
     * Whether the provider keeps failures under the key (`sticky`: each whose code is not `retryable` speaks for every request with that
     * key, also for one that is still on its way) or tries anew (`fresh`, the default).
     */
    failures: Type.Optional(Type.Union([Type.Literal("sticky"), Type.Literal("fresh")])),
    /**
     * Which header carries the key, or where in the input its name stands; `value`, where the input names a key of its own. `windowHours`:
     * how long the provider remembers it.
     */
    idempotency: Type.Optional(
      Type.Object(
        {
          header: Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Object({ pointer: Type.String() }, closed)]),
          value: Type.Optional(Type.Object({ pointer: Type.String() }, closed)),
          windowHours: Type.Number({ exclusiveMinimum: 0, maximum: 8_760 }),
        },
        closed,
      ),
    ),
    /**
     * For `reattachable`: how long after a dispatch has ended "not found" proves that it will never be found (absent: never), and how long
     * "pending" is believed.
     */
    status: Type.Optional(
      Type.Object(
        {
          conclusiveNotFoundAfterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 * DAY_MS })),
          pendingMaxMs: Type.Integer({ minimum: 1, maximum: 30 * DAY_MS }),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type OperationManifest = Static<typeof OperationManifest>;

/** What a release says of itself, and what its reviewer approves. */
export const Manifest = Type.Object(
  {
    manifestVersion: Type.Literal(1),
    id: Type.String({ pattern: "^[a-z][a-z0-9-]*(\\.[a-z][a-z0-9-]*)*$", maxLength: 128 }),
    version: Type.String({ pattern: "^\\d+\\.\\d+\\.\\d+$", maxLength: 64 }),
    contract: Type.Integer({ minimum: 1 }),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    publisher: Type.String({ minLength: 1, maxLength: 256 }),
    permissions: Type.Object(
      {
        network: Type.Optional(Type.Array(NetworkPermission, { maxItems: 64 })),
        secrets: Type.Optional(Type.Array(SecretPermission, { maxItems: 64 })),
      },
      closed,
    ),
    // Closed: without that, JSON Schema looks only at names that fit the pattern.
    operations: Type.Record(Type.String({ pattern: "^[a-z][A-Za-z0-9]{0,63}$" }), OperationManifest, {
      ...closed,
      minProperties: 1,
      maxProperties: 64,
    }),
  },
  closed,
);
export type Manifest = Static<typeof Manifest>;
