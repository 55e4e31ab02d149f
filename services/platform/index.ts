export { openPostgres, type Postgres } from "./postgres.ts";
export { Refusal, type RefusalCode } from "./refusal.ts";
