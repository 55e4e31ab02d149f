import { after, before } from "node:test";
import { type Database, openDatabase } from "./database.ts";
import { engineStoreContract } from "./engine-store-contract.ts";
import { openReal } from "./opened.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());

engineStoreContract("the engine's store on PostgreSQL", async () => {
  await database.empty();
  return openReal(database);
});
