// What Helm renders, as far as anything here looks at it. Read after the strict schema has taken it, so these shapes hold.
import { parseAllDocuments } from "yaml";

export interface Env {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string }; readonly fieldRef?: object };
}
export interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string | number };
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}
interface SecurityContext {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly allowPrivilegeEscalation?: boolean;
  readonly privileged?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
}
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly Env[];
  readonly envFrom?: readonly { readonly secretRef?: { readonly name: string }; readonly configMapRef?: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number; readonly hostPort?: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: object;
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: SecurityContext;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly sizeLimit?: string };
  readonly secret?: { readonly secretName: string };
  readonly configMap?: { readonly name: string };
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: string;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly securityContext?: SecurityContext;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly volumes?: readonly Volume[];
}
export type Labels = Readonly<Record<string, string>>;
export interface Selector {
  readonly matchLabels?: Labels;
}
export interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
}
export interface Rule {
  readonly ports?: readonly { readonly port?: number | string; readonly protocol?: string }[];
  readonly to?: readonly Peer[];
  readonly from?: readonly Peer[];
}
export interface PolicySpec {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}
export interface ServiceSpec {
  readonly clusterIP?: string;
  readonly selector: Labels;
  readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: number | string }[];
}
interface Template {
  readonly metadata: { readonly labels?: Labels };
  readonly spec: PodSpec;
}
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: unknown;
}
/** A pod and what makes it. */
export interface Pod {
  readonly of: Manifest;
  readonly role: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
  readonly replicas: number;
}

const MAKES_PODS = new Set(["Deployment", "StatefulSet", "DaemonSet", "Job"]);

/** Throws where it is not YAML, or a key stands twice. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join("; "));
    const value: Manifest | null = document.toJS();
    return value === null ? [] : [value];
  });
}

export function podsOf(manifests: readonly Manifest[]): readonly Pod[] {
  return manifests.flatMap((of) => {
    const role = of.metadata.labels?.["app.kubernetes.io/component"] ?? "";
    if (of.kind === "Pod") return [{ of, role, labels: of.metadata.labels ?? {}, spec: of.spec as PodSpec, replicas: 1 }];
    if (!MAKES_PODS.has(of.kind)) return [];
    const { template, replicas = 1 } = of.spec as { readonly template: Template; readonly replicas?: number };
    return [{ of, role, labels: template.metadata.labels ?? {}, spec: template.spec, replicas }];
  });
}

export const containersOf = ({ spec }: Pod): readonly Container[] => [...(spec.initContainers ?? []), ...spec.containers];

export const matches = ({ matchLabels = {} }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

export const named = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

export const hookOf = ({ metadata }: Manifest): string | undefined => metadata.annotations?.["helm.sh/hook"];
