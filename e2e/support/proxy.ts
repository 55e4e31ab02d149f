// Stands between the platform and PostgreSQL, understands just enough of the protocol to count statements, and withholds one.
// A statement is all that a client sends up to Sync or as a simple Query; PostgreSQL's protocol 3.0, message formats of its manual.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Statement {
  readonly user: string;
  /** The text, also where a prepared statement is only named. */
  readonly sql: string;
}
export interface Fault {
  /** `bound` gives what is bound to it, as it is sent. */
  readonly matches: (statement: Statement, bound: () => string) => boolean;
  /** `statement`: PostgreSQL never hears it. `answer`: PostgreSQL has done it and said so, but nobody hears that. */
  readonly withhold: "statement" | "answer";
}
export interface FaultProxy {
  readonly url: string;
  readonly seen: Statement[];
  /** Resolves with the statement when the fault has struck; the connection then stays silent. */
  arm(fault: Fault): Promise<Statement>;
  /** What is withheld goes on, late: the statement to PostgreSQL, or the answer to whoever asked. */
  letGo(): void;
  /** Breaks every connection, and with it what is withheld. Answers how many there were; new ones are taken. */
  cut(): number;
  close(): Promise<void>;
}

const SYNC = 0x53;
const QUERY = 0x51;
const PARSE = 0x50;
const BIND = 0x42;
const READY = 0x5a;

export async function openProxy(target: string): Promise<FaultProxy> {
  const to = new URL(target);
  const seen: Statement[] = [];
  const sockets = new Set<Socket>();
  let armed: { fault: Fault; struck: (statement: Statement) => void } | null = null;
  const withheld = new Set<() => void>();
  const strike: Strikes["strike"] = (statement, bound) => {
    seen.push(statement);
    if (!armed?.fault.matches(statement, bound)) return null;
    const { fault, struck } = armed;
    armed = null;
    return { withhold: fault.withhold, struck: () => struck(statement) };
  };
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    relay(client, upstream, { strike, withheld });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(target);
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    seen,
    arm: (fault) => new Promise((resolve) => (armed = { fault, struck: resolve })),
    letGo: () => {
      for (const go of [...withheld]) go();
    },
    cut: () => {
      const open = sockets.size / 2;
      withheld.clear();
      for (const socket of sockets) socket.destroy();
      return open;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Struck {
  readonly withhold: Fault["withhold"];
  readonly struck: () => void;
}
interface Strikes {
  readonly strike: (statement: Statement, bound: () => string) => Struck | null;
  /** How each withheld one goes on. */
  readonly withheld: Set<() => void>;
}

function relay(client: Socket, upstream: Socket, { strike, withheld }: Strikes): void {
  const names = new Map<string, string>();
  let user = "";
  let sql = "";
  let unit: Buffer[] = [];
  let held: Struck | null = null;
  let silent = false;
  const withhold = ({ struck }: Struck, goOn: () => void): void => {
    silent = true;
    const go = (): void => {
      withheld.delete(go);
      silent = false;
      goOn();
    };
    withheld.add(go);
    client.once("close", () => withheld.delete(go));
    struck();
  };
  const whole = (message: Buffer): void => {
    const type = user === "" ? 0 : (message[0] ?? 0);
    if (type === 0) user = startupUser(message);
    sql = textOf(type, message, names) ?? sql;
    unit.push(message);
    if (type === PARSE || type === BIND || (type !== SYNC && type !== QUERY && sql !== "")) return;
    const sent = Buffer.concat(unit);
    const struck = sql === "" || silent ? null : strike({ user, sql }, () => sent.toString("latin1"));
    if (struck?.withhold === "statement") withhold(struck, () => upstream.write(sent));
    if (struck?.withhold === "answer") held = struck;
    if (!silent) upstream.write(sent);
    unit = [];
    sql = "";
  };
  messages(client, () => user === "", whole);
  client.on("end", () => upstream.end());
  upstream.on("end", () => client.end());
  upstream.on("close", () => client.destroy());
  client.on("close", () => upstream.destroy());
  let tail = Buffer.alloc(0);
  upstream.on("data", (chunk: Buffer) => {
    if (silent) return;
    if (!held) return void client.write(chunk);
    tail = Buffer.concat([tail, chunk]);
    if (tail.length < 6 || tail[tail.length - 6] !== READY) return;
    const answer = tail;
    const struck = held;
    tail = Buffer.alloc(0);
    held = null;
    withhold(struck, () => client.write(answer));
  });
}

/** Cuts a stream into messages; the first has no type byte. */
function messages(socket: Socket, first: () => boolean, whole: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = first() ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readUInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      whole(message);
    }
  });
}

function startupUser(message: Buffer): string {
  const words = message.subarray(8).toString("utf8").split("\0");
  return words[words.indexOf("user") + 1] ?? "?";
}

function textOf(type: number, message: Buffer, names: Map<string, string>): string | null {
  const [first = "", second = ""] = message.subarray(5).toString("utf8").split("\0");
  if (type === QUERY) return first;
  if (type === PARSE) {
    names.set(first, second);
    return second;
  }
  if (type === BIND) return names.get(second) ?? null;
  return null;
}
