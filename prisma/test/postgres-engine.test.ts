import { after, before } from "node:test";
import { openServer, type Server } from "./database.ts";
import { engineStoreContract } from "./engine-store-contract.ts";
import { openReal } from "./opened.ts";

let server: Server;
before(async () => {
  server = await openServer();
});
after(() => server.close());

engineStoreContract("the engine's store on PostgreSQL", async () => {
  const database = await server.database();
  const opened = openReal(database);
  return { ...opened, close: () => opened.close().then(() => database.close()) };
});
