// Loaded into the test runner, where it says where compiled code is kept, so that no test file's process compiles what another one has; and
// into each of these, where what a failed test left open must not hold the process for ever. node's own --test-force-exit ends it before all
// reports are written, so that the closing lines count fewer tests than ran.
import { join } from "node:path";
import { after } from "node:test";

const LINGER_MS = 5_000;

if (process.env.NODE_TEST_CONTEXT === "child-v8") after(() => void setTimeout(() => process.exit(), LINGER_MS).unref());
else process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "..", "node_modules", ".cache", "woml");
