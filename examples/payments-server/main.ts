// node main.ts [--port 4010] [--ledger payments.ledger] [--key-window-ms 86400000] [--api-key KEY]
import { parseArgs } from "node:util";
import { startPayments } from "./payments.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4010" },
    ledger: { type: "string", default: "payments.ledger" },
    "key-window-ms": { type: "string", default: "86400000" },
    "api-key": { type: "string" },
  },
});
const apiKey = values["api-key"];
const payments = await startPayments({
  port: Number(values.port),
  ledger: values.ledger,
  keyWindowMs: Number(values["key-window-ms"]),
  ...(apiKey !== undefined && { apiKey }),
});
process.stdout.write(`${JSON.stringify({ listening: payments.url, ledger: values.ledger, effects: payments.effects().length })}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void payments.close());
