import { connection, type Edges } from "./answer.ts";
import type { Field } from "./field.ts";
import * as queries from "./queries.ts";
import type { AuditEntry, OnAmbiguous, Page, PageAsk, Secret } from "./types.ts";

/** What a program can ask about secrets, the audit, and what a tenant's runs do. */
export interface SettingsClient {
  secrets(): Promise<readonly Secret[]>;
  /** Sets it, or sets it anew. `value` has at most 64 KiB of UTF-8. */
  setSecret(name: string, value: string): Promise<Secret>;
  /** false when there was none of this name. */
  removeSecret(name: string): Promise<boolean>;
  audit(ask?: PageAsk): Promise<Page<AuditEntry>>;
  onAmbiguous(): Promise<OnAmbiguous>;
  setOnAmbiguous(onAmbiguous: OnAmbiguous): Promise<OnAmbiguous>;
}

export function openSettings(field: Field): SettingsClient {
  return {
    secrets: () => field("secrets", queries.SECRETS, {}),
    setSecret: async (name, value) => (await field<{ secret: Secret }>("setSecret", queries.SET_SECRET, { input: { name, value } })).secret,
    removeSecret: async (name) => (await field<{ removed: boolean }>("removeSecret", queries.REMOVE_SECRET, { input: { name } })).removed,
    audit: async (wanted = {}) => connection(await field<Edges<AuditEntry>>("audit", queries.AUDIT, { ...wanted })),
    onAmbiguous: async () => word(await field<string>("onAmbiguous", queries.ON_AMBIGUOUS, {})),
    setOnAmbiguous: async (wanted) => {
      const input = { onAmbiguous: wanted.toUpperCase() };
      return word((await field<{ onAmbiguous: string }>("setOnAmbiguous", queries.SET_ON_AMBIGUOUS, { input })).onAmbiguous);
    },
  };
}

const word = (shown: string): OnAmbiguous => (shown === "FAIL" ? "fail" : "ask");
