import { resolve } from "node:path";

/** npm runs scripts in the root of the repository and says in INIT_CWD where the person stood. */
export const fromHere = (path: string): string => resolve(process.env["INIT_CWD"] ?? process.cwd(), path);
