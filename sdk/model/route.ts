import { quoted } from "./text.ts";

const LONGEST_PATH = 2_048;
const PATH = /^\/(?:[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*)?$/;
/** The platform's own. */
const RESERVED = "/_woml";
const LONGEST_NAME = 256;
const NAME = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+$/;

/** Why a text is no path of a webhook; null when it is one. */
export function pathFault(path: string): string | null {
  if (path.length > LONGEST_PATH) return `A path has at most ${LONGEST_PATH} characters.`;
  if (path === RESERVED || path.startsWith(`${RESERVED}/`)) return `${RESERVED} and what is below it belong to the platform.`;
  if (PATH.test(path)) return null;
  return `${quoted(path)} is no path: a slash before each segment, and in a segment letters, digits, ".", "_", "~" and "-".`;
}

/** Why a text is no name of a signal (an event, in the language); null when it is one. */
export function signalFault(name: string): string | null {
  if (name.length > LONGEST_NAME) return `The name of an event has at most ${LONGEST_NAME} characters.`;
  return NAME.test(name) ? null : `${quoted(name)} is no name of an event.`;
}
