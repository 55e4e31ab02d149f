import { type Logger, pino } from "pino";

export type Log = Logger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "silent";

/** JSON lines on stderr, so that stdout belongs to what a command answers. No payload, key or secret goes into a line. */
export function openLog(service: string, level: LogLevel): Log {
  return pino({ name: service, level, base: { service } }, pino.destination({ fd: 2, sync: true }));
}
