// For tests: a server costs a second of processor time to start and end, a database that is a copy of another a tenth of that.
import { randomBytes } from "node:crypto";
import { once } from "./reach.ts";
import { prepareRoles } from "./role.ts";

/** One database's, of its owner and of the services' roles. */
export interface Urls {
  readonly url: string;
  readonly control: string;
  readonly engine: string;
}

const PASSWORDS = { control: "control-secret", engine: "engine-secret" };

/** Gives the services' roles of a migrated server their passwords. */
export async function openRoles(url: string): Promise<Urls> {
  return { url, ...(await prepareRoles(url, PASSWORDS)) };
}

/** A further database on its server, with all that is in this one, to which nobody is connected. Rights on databases are not copied. */
export async function copyDatabase(of: Urls): Promise<Urls> {
  const name = `copy_${randomBytes(6).toString("hex")}`;
  const template = new URL(of.url).pathname.slice(1);
  await once(at(of.url, "template1"), async (client) => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await client.query(`REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  });
  return { url: at(of.url, name), control: at(of.control, name), engine: at(of.engine, name) };
}

function at(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}
