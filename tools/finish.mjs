// Loaded into every test file's process: what a failed test left open must not hold the process for ever. node's own --test-force-exit
// ends it before all reports are written, so that the closing lines count fewer tests than ran.
import { after } from "node:test";

const LINGER_MS = 5_000;

if (process.env.NODE_TEST_CONTEXT === "child-v8") after(() => void setTimeout(() => process.exit(), LINGER_MS).unref());
