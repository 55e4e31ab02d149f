/** ARCHITECTURE.md's table: what each room may declare as a dependency. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "sdk/model": ["typebox"],
  "sdk/run": ["@woml/model"],
  "sdk/capability": ["typebox"],
  "sdk/language": ["@woml/model", "acorn"],
  "sdk/modules": ["@woml/language", "@noble/hashes", "acorn", "sucrase"],
  "sdk/client": ["@woml/run"],
  "sdk/cli": ["@woml/client", "@woml/language", "@woml/model", "@woml/modules", "@woml/platform", "@woml/run", "commander"],
  prisma: [
    ...["@woml/model", "@woml/run", "pg", "@prisma/adapter-pg", "@prisma/client"],
    ...["@prisma/driver-adapter-utils", "@prisma/schema-engine-wasm"],
  ],
  "services/boot": [
    ...["pino", "bullmq", "ioredis", "pg", "@opentelemetry/api", "@opentelemetry/resources", "@opentelemetry/sdk-trace"],
    ...["@opentelemetry/sdk-metrics", "@opentelemetry/exporter-prometheus", "@opentelemetry/exporter-trace-otlp-http"],
    "@opentelemetry/exporter-metrics-otlp-http",
  ],
  "services/child": [],
  "services/sandbox": ["@woml/boot", "@woml/child", "isolated-vm"],
  "services/plugin-host": ["@woml/boot", "@woml/capability", "@woml/child", "undici"],
  "services/engine": [
    ...["@woml/model", "@woml/run", "@woml/capability", "@woml/prisma", "@woml/boot"],
    ...["@woml/sandbox", "@woml/plugin-host"],
  ],
  "services/control": [
    ...["@woml/language", "@woml/model", "@woml/modules", "@woml/run", "@woml/client", "@woml/prisma", "@woml/boot"],
    ...["@woml/capability", "fastify", "graphql", "mercurius", "semver"],
  ],
  "services/platform": [
    "@woml/boot",
    "@woml/control",
    "@woml/engine",
    "@woml/prisma",
    "@woml/sandbox",
    "@woml/plugin-host",
    "@woml/capability",
    "@woml/http",
  ],
  "plugins/http": ["@woml/capability"],
  e2e: [
    ...["@woml/boot", "@woml/client", "@woml/control", "@woml/engine", "@woml/http", "@woml/language", "@woml/model", "@woml/modules"],
    ...["@woml/platform", "@woml/prisma", "@woml/run", "@woml/sandbox", "@woml/plugin-host", "@woml/capability"],
  ],
};
