// What Node's permission model leaves to a process, and a plugin has no use for: signals to other processes (the supervisor's), debuggers,
// other modules than those that only compute. The permission model denies files, sockets, names, children, threads and addons by itself.
import { registerHooks, syncBuiltinESMExports } from "node:module";

const POWERS = [
  ...["kill", "_kill", "_debugProcess", "_debugEnd", "binding", "_linkedBinding", "dlopen", "getBuiltinModule", "execve", "report"],
  ...["chdir", "setUncaughtExceptionCaptureCallback", "loadEnvFile", "mainModule", "_getActiveHandles", "_getActiveRequests"],
] as const;
const GLOBALS = ["fetch", "WebSocket", "EventSource", "Worker", "navigator"] as const;
const COMPUTING: ReadonlySet<string> = new Set(
  [
    ...["assert", "assert/strict", "async_hooks", "buffer", "console", "crypto", "diagnostics_channel", "events", "path", "path/posix"],
    ...["path/win32", "perf_hooks", "process", "punycode", "querystring", "stream", "stream/consumers", "stream/promises", "stream/web"],
    ...["string_decoder", "timers", "timers/promises", "url", "util", "util/types", "zlib"],
  ].flatMap((name) => [name, `node:${name}`]),
);

/**
 * From here on this process loads `artefact` and nothing else: `@woml/capability` is the platform's, already loaded; of Node's modules only
 * those that compute can be had. What is asked for from where makes no difference.
 */
export function strip(artefact: string): void {
  const capability = import.meta.resolve("@woml/capability");
  registerHooks({
    resolve: (name, context, next) => {
      if (name === artefact) return { url: artefact, format: "module", shortCircuit: true };
      if (name === "@woml/capability") return { url: capability, shortCircuit: true };
      if (COMPUTING.has(name)) return next(name, context);
      throw new Error(`A plugin cannot import ${JSON.stringify(name)}: it is one file, and @woml/capability is all that it is given.`);
    },
  });
  for (const name of POWERS) Object.defineProperty(process, name, { value: undefined, writable: false, configurable: false });
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
  syncBuiltinESMExports();
}
