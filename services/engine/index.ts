export type { Engine, EngineOptions, World } from "./engine.ts";
export { startEngine } from "./loop.ts";
export { realWorld } from "./world.ts";
