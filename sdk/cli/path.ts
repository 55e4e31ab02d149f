import { resolve } from "node:path";
import { usage } from "./exit.ts";

/** npm runs scripts in the root of the repository and says in INIT_CWD where the person stood. */
export function fromHere(path: string): string {
  // Most often a variable of the shell that is not set: the folder where the person stands was not meant.
  if (path === "") throw usage("A path is empty.");
  return resolve(process.env["INIT_CWD"] ?? process.cwd(), path);
}
