// A plugin is handed in: its manifest is read, its bytes are hashed, and both are kept as they came. It runs only after somebody else has
// approved exactly these digests (approve.ts).
import { isUtf8 } from "node:buffer";
import { readManifest } from "@woml/capability";
import { checkText } from "@woml/model";
import type { Handed, NewRelease, ReleaseRow } from "@woml/prisma";
import { type Asking, withAsker } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { releaseOf } from "./release.ts";

export const ARTEFACT_BYTES: number = 20 * 1024 * 1024;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export interface SubmitPluginInput {
  readonly manifest: unknown;
  readonly artefact: string;
}
export interface Submitted {
  readonly release: ReleaseRow | null;
  readonly created: boolean;
  readonly complaints: readonly string[];
}

export async function submitPlugin(asking: Asking, input: SubmitPluginInput): Promise<Submitted> {
  const fault = checkText(input.manifest);
  if (fault !== null) return { release: null, created: false, complaints: [`${fault.path}: ${fault.message}`] };
  const read = readManifest(input.manifest);
  if ("complaints" in read) return { release: null, created: false, complaints: read.complaints };
  const { who } = asking;
  if (who.scope === "tenant" && !read.manifest.id.includes(".")) {
    const message = "an id of one word is the platform's own: put a word of yours before it, as in acme.payments";
    throw new ApiError("WOML_PLUGIN_ID_RESERVED", message);
  }
  return withAsker(asking, async (scope) => {
    const wanted = releaseOf(read.manifest, artefactOf(input.artefact), who.key);
    const created = judge(await scope.submitRelease(wanted), wanted);
    const { digest, capability, version } = wanted;
    if (created) await scope.record(entryOf(who.key, "plugin.submit", digest, { capability, version }));
    return { release: await scope.release(digest), created, complaints: [] };
  });
}

/** Whether it was stored now. */
export function judge(handed: Handed, release: NewRelease): boolean {
  if (handed === "taken") throw taken(release);
  if (handed === "crowded") {
    throw new ApiError("WOML_PLUGINS_TOO_MANY", "too many releases of this tenant wait for their review: have them reviewed first");
  }
  return handed === "created";
}

function taken({ capability, version }: NewRelease): ApiError {
  const message = `${capability} ${version} is there already, with other content or by somebody else: take the next version`;
  return new ApiError("WOML_PLUGIN_VERSION_TAKEN", message);
}

function artefactOf(text: string): Uint8Array {
  const padding = text.length - text.replace(/={1,2}$/, "").length;
  const actual = Math.floor((text.length / 4) * 3) - padding;
  if (actual > ARTEFACT_BYTES) {
    const message = `the file of a plugin has at most ${ARTEFACT_BYTES} bytes`;
    throw new ApiError("WOML_PLUGIN_ARTEFACT_INVALID", message, { limit: ARTEFACT_BYTES, actual });
  }
  const bytes = isBase64(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.length === 0 || !isUtf8(bytes)) {
    throw new ApiError("WOML_PLUGIN_ARTEFACT_INVALID", "`artefact` has to be a UTF-8 text that is not empty, in base64");
  }
  return bytes;
}

/** In pieces: a regular expression over 28 MiB at once would need as much again. */
function isBase64(text: string): boolean {
  const PIECE = 65_536;
  if (text.length % 4 !== 0) return false;
  for (let at = 0; at < text.length; at += PIECE) {
    const piece = text.slice(at, at + PIECE);
    if (!BASE64.test(piece) || (piece.includes("=") && at + PIECE < text.length)) return false;
  }
  return true;
}
