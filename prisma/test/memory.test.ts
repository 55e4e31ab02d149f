import { engineStoreContract } from "./engine-store-contract.ts";
import { openMemory } from "./opened.ts";

engineStoreContract("the engine's store in memory", async () => openMemory());
