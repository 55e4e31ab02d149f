// The process of one release and tenant: `main.ts ARTEFACT-URL`. It loads the artefact, says what it describes, and performs.
import { Socket } from "node:net";
import { manifestOf, type Plugin } from "@woml/capability";
import { openWire } from "@woml/child/framing";
import type { FromPlugin, ToPlugin } from "./frames.ts";
import { FRAME_BYTES, GUEST, parseToPlugin } from "./parse.ts";
import { Serving } from "./serve.ts";
import { strip } from "./strip.ts";
import { watchParent } from "./watch.ts";

const CHANNEL_FD = 3;
const [artefact = ""] = process.argv.slice(2);
let serving: Serving | undefined;
const wire = openWire<FromPlugin, ToPlugin>(new Socket({ fd: CHANNEL_FD, readable: true, writable: true }), {
  maxBytes: FRAME_BYTES,
  parse: parseToPlugin,
  heard: (frame) => serving?.heard(frame),
  closed: () => process.exit(0),
});

await watchParent();
strip(artefact);
try {
  const { default: plugin }: { readonly default: Plugin } = await import(artefact);
  const manifest = JSON.stringify(manifestOf(plugin));
  // All that is to be loaded is.
  process.permission.drop("fs.read");
  serving = new Serving(plugin, wire);
  wire.send({ frame: "ready", manifest });
} catch (error) {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, GUEST.messageChars);
  wire.send({ frame: "broken", message });
}
