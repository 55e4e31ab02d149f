import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "silent";

/**
 * JSON lines on stderr, so that stdout belongs to what a command answers. No payload, key or secret goes into a line; one that is about a run
 * names `tenant`, `run` and, where it has one, `trace`.
 */
export function openLog(service: string, level: LogLevel, to: DestinationStream = pino.destination({ fd: 2, sync: true })): Log {
  return pino({ name: service, level, base: { service } }, to);
}
