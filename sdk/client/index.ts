export type { RunView } from "@woml/run";
