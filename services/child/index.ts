export { type Ear, openWire, type Wire } from "./framing.ts";
export { Line, type OtherEnd } from "./line.ts";
export { residentMb } from "./memory.ts";
export { writePreload } from "./preload.ts";
export { listenPrivately, serveParent } from "./serve.ts";
export { CHANNEL_FD, type Child, type ChildEvents, type ChildOptions, spawnChild } from "./spawn.ts";
export { type StartOptions, type SupervisorProcess, startProcess, takesSocket } from "./start.ts";
export { FrameFault } from "./strict.ts";
