export { interruption, printSettings, readSettings, type Sources } from "@woml/boot";
export { migrateDatabase } from "./migrate.ts";
export { serveRole } from "./role.ts";
