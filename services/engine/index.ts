export type { Engine, World } from "./engine.ts";
