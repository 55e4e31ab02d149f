export { openPostgres, type Postgres } from "./postgres.ts";
