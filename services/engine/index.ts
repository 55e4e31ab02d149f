export type { Engine, EngineOptions, World } from "./engine.ts";
export { appendFigures } from "./figures.ts";
export { startEngine } from "./loop.ts";
export { realWorld } from "./world.ts";
