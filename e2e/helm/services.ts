// The names and addresses of a release's services, as pods meet them: a headless one stands for every ready pod, any other for an address
// of its own, behind which ready pods take turns. Names are lines of the one file that is every pod's /etc/hosts.
import { writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Labels, type Manifest, matches, podsOf, type ServiceSpec } from "./manifest.ts";
import type { Running } from "./pods.ts";

export interface Services {
  /** `host:port` of each service that has an address of its own, by its name. */
  readonly places: ReadonlyMap<string, string>;
  /** Some pod became ready, or is not any more. */
  changed(): void;
  close(): Promise<void>;
}
export interface ServicesOptions {
  readonly manifests: readonly Manifest[];
  readonly hosts: string;
  /** An address for the nth service that has one. */
  readonly address: (nth: number) => string;
  readonly pods: () => readonly Running[];
}

export async function openServices({ manifests, hosts, address, pods }: ServicesOptions): Promise<Services> {
  const services = manifests.filter(({ kind }) => kind === "Service");
  const proxies: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
  const fixed = new Map<Manifest, string>();
  const places = new Map<string, string>();
  const behind = (selector: Labels): readonly Running[] =>
    pods().filter(({ role, isReady }) => isReady && rolesOf(manifests, selector).includes(role));
  for (const service of services.filter(({ spec }) => (spec as ServiceSpec).clusterIP !== "None")) {
    const own = address(fixed.size + 1);
    fixed.set(service, own);
    const { selector, ports } = service.spec as ServiceSpec;
    for (const { port, targetPort } of ports) {
      places.set(service.metadata.name, `${own}:${port}`);
      proxies.push(await openProxy({ host: own, port }, () => turn(behind(selector)), numberOf(manifests, targetPort)));
    }
  }
  const changed = (): void => {
    const lines = services.flatMap((service) => {
      const ips = fixed.get(service) ?? behind((service.spec as ServiceSpec).selector).map(({ ip }) => ip);
      return [ips].flat().map((ip) => `${ip} ${namesOf(service).join(" ")}`);
    });
    // In place: pods have this very file mounted.
    writeFileSync(hosts, ["127.0.0.1 localhost", ...lines, ""].join("\n"));
  };
  changed();
  return {
    places,
    changed,
    close: async () => {
      for (const { server, sockets } of proxies) {
        server.close();
        for (const socket of sockets) socket.destroy();
      }
    },
  };
}

function namesOf({ metadata: { name, namespace = "default" } }: Manifest): readonly string[] {
  const long = `${name}.${namespace}`;
  return [name, long, `${long}.svc`, `${long}.svc.cluster.local`];
}

function rolesOf(manifests: readonly Manifest[], selector: Labels): readonly string[] {
  return podsOf(manifests)
    .filter(({ labels }) => matches({ matchLabels: selector }, labels))
    .map(({ role }) => role);
}

function numberOf(manifests: readonly Manifest[], target: string | number): number {
  if (typeof target === "number") return target;
  const ports = podsOf(manifests).flatMap(({ spec }) => spec.containers.flatMap(({ ports: own = [] }) => own));
  const found = ports.find(({ name }) => name === target);
  if (found === undefined) throw new Error(`No pod has a port ${target}.`);
  return found.containerPort;
}

let turns = 0;
function turn(ready: readonly Running[]): Running | undefined {
  turns += 1;
  return ready[turns % Math.max(1, ready.length)];
}

async function openProxy(
  at: { readonly host: string; readonly port: number },
  next: () => Running | undefined,
  port: number,
): Promise<{ readonly server: Server; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket =>
    sockets.add(socket) && socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  const server = createServer((near) => {
    keep(near);
    const pod = next();
    if (pod === undefined) return void near.destroy();
    const far = keep(connect(port, pod.ip));
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(at.port, at.host, resolve);
  });
  return { server, sockets };
}
