const TIMER = "Wait with setTimeout, or for a promise.";
const WEB = "Call services.http.request or fetch with texts and objects.";
const FILES = "There are no files here: import a module with <module>, and give values in context.payload.";
const BYTES = "Use TextEncoder, TextDecoder, btoa and atob.";
const SHARED = "A script runs alone: take a variable of your own.";

const WAYS_OUT: readonly (readonly [names: string, hint: string])[] = [
  ["process", "Read configuration from context.payload, and a secret as secrets.API_KEY."],
  ["Bun", "There is no host here: call services, or fetch."],
  ["Buffer", BYTES],
  ["global self", "Write globalThis."],
  ["__dirname __filename", FILES],
  ["module exports require", "A script returns its result; what it shares with others stands in a file that <module> imports."],
  ["setInterval clearInterval setImmediate clearImmediate queueMicrotask", TIMER],
  ["URL URLSearchParams", "Write the URL as a text, with encodeURIComponent; services.http.request takes a query."],
  ["Headers Request Response FormData Blob File XMLHttpRequest EventSource WebSocket AbortController AbortSignal", WEB],
  ["ReadableStream WritableStream TransformStream TextDecoderStream TextEncoderStream CompressionStream DecompressionStream", WEB],
  ["Event EventTarget CustomEvent MessageEvent MessageChannel MessagePort BroadcastChannel", "Use promises."],
  ["performance", "Take the time from Date."],
  ["navigator alert confirm prompt reportError", "There is no host here: write to console."],
  ["Worker SharedArrayBuffer Atomics", SHARED],
  ["WeakRef FinalizationRegistry", "Hold the value itself: a script's memory is gone when it ends."],
  ["WebAssembly HTMLRewriter ShadowRealm", "Write it in JavaScript, or call a capability that does it."],
];

/** Names that exist where WOML 1.0 was made and not here, each with the way out. */
export const ABSENT: ReadonlyMap<string, string> = new Map(
  WAYS_OUT.flatMap(([names, hint]) => names.split(" ").map((name) => [name, hint] as const)),
);

const SERVICES = "http db storage cache state workflows telegram discord whatsapp";
const HABITS: readonly (readonly [names: string, hint: string])[] = [
  ["axios got request", WEB],
  ["input inputs args params", "Read context.payload."],
  ["env", "Read configuration from context.payload, and a secret as secrets.API_KEY."],
  ["sleep delay wait", "Write it: await new Promise((resolve) => setTimeout(resolve, 100))."],
  ["window document localStorage sessionStorage", "There is no page here: a script runs on a server."],
  ...SERVICES.split(" ").map((name) => [name, `Write services.${name}.`] as const),
];

/** Names that people are used to, which exist nowhere: calling them throws. */
export const USUAL: ReadonlyMap<string, string> = new Map(
  HABITS.flatMap(([names, hint]) => names.split(" ").map((name) => [name, hint] as const)),
);

/** Parts of the context, which are nothing by themselves. */
export const PARTS: ReadonlySet<string> = new Set(["payload", "trigger", "steps", "item", "iteration"]);

/** Of what is here in part: what there is of it, and the way out for the rest. */
export const PARTIAL: ReadonlyMap<string, { readonly has: ReadonlySet<string>; readonly hint: string }> = new Map([
  [
    "crypto",
    {
      has: new Set(["getRandomValues", "randomUUID"]),
      hint: "crypto has getRandomValues and randomUUID: hash in a module of your own, or call a capability.",
    },
  ],
  [
    "console",
    {
      has: new Set(["debug", "log", "info", "warn", "error"]),
      hint: "console has debug, log, info, warn and error: write values out, as texts.",
    },
  ],
]);
