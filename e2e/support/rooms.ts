/** ARCHITECTURE.md's table: what each room may declare as a dependency. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "sdk/model": ["typebox"],
  "sdk/run": ["@woml/model"],
  "sdk/language": ["@woml/model", "acorn"],
  "sdk/client": ["@woml/run"],
  "sdk/cli": ["@woml/client", "@woml/language", "@woml/model", "@woml/platform", "@woml/run", "commander"],
  prisma: [
    ...["@woml/model", "@woml/run", "pg", "@prisma/adapter-pg", "@prisma/client"],
    ...["@prisma/driver-adapter-utils", "@prisma/schema-engine-wasm"],
  ],
  "services/boot": ["pino"],
  "services/sandbox": ["@woml/boot", "isolated-vm"],
  "services/engine": ["@woml/model", "@woml/run", "@woml/prisma", "@woml/boot", "@woml/sandbox"],
  "services/control": [
    ...["@woml/language", "@woml/model", "@woml/run", "@woml/client", "@woml/prisma", "@woml/boot"],
    ...["fastify", "graphql", "mercurius"],
  ],
  "services/platform": ["@woml/boot", "@woml/control", "@woml/engine", "@woml/prisma", "@woml/sandbox"],
  e2e: [
    ...["@woml/boot", "@woml/engine", "@woml/language", "@woml/model"],
    ...["@woml/platform", "@woml/prisma", "@woml/run", "@woml/sandbox"],
  ],
};
