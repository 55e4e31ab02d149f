// Charts with one mistake each, made by a small edit of a copy. Each has to be met by its own check and by no other.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "./judge.ts";

export interface Bad {
  readonly name: string;
  /** Under which values it is looked at. */
  readonly values: string;
  readonly check: Check;
  /** What is said of it. */
  readonly says: RegExp;
  readonly edits: readonly Edit[];
}
interface Edit {
  readonly file: string;
  /** Absent: the file is new. */
  readonly from?: string;
  readonly to: string;
}
const pod = "templates/_pod.tpl";
const env = "templates/_env.tpl";

const OWN_SECRET = `apiVersion: v1
kind: Secret
metadata:
  {{- include "woml.metadata" (dict "root" . "role" "migrate") | nindent 2 }}
stringData:
  owner-url: {{ "postgresql://owner@database/woml" | quote }}
`;

export const BAD: readonly Bad[] = [
  {
    ...{ name: "probe typo", values: "usual", check: "schema", says: /additional properties readynessProbe$/ },
    edits: [{ file: pod, from: "readinessProbe:", to: "readynessProbe:" }],
  },
  {
    ...{ name: "missing env", values: "usual", check: "environment", says: /engine is refused: WOML_SANDBOX_LINE_SECRET is not set/ },
    edits: [{ file: env, from: 'if has $role (list "engine" "sandbox")', to: 'if eq $role "sandbox"' }],
  },
  {
    ...{ name: "root user", values: "usual", check: "security", says: /container \S+ (may run as root|is not user 10001)$/ },
    edits: [
      { file: pod, from: "runAsNonRoot: true", to: "runAsNonRoot: false" },
      { file: pod, from: "runAsUser: 10001", to: "runAsUser: 0" },
    ],
  },
  {
    ...{ name: "egress for sandbox", values: "usual", check: "network", says: /^sandbox reaches internet/ },
    edits: [{ file: "templates/sandbox-networkpolicy.yaml", from: '"egress" ""', to: '"egress" (include "woml.toInternet" .)' }],
  },
  {
    ...{
      name: "hook needing an in-release secret",
      values: "usual",
      check: "wiring",
      says: /woml-migrate is a hook and needs Secret\/woml-migrate/,
    },
    edits: [
      { file: "templates/migrate-secret.yaml", to: OWN_SECRET },
      {
        file: env,
        from: '(list "WOML_DATABASE_URL" $database.existingSecret',
        to: '(list "WOML_DATABASE_URL" (ternary "woml-migrate" $database.existingSecret (eq $role "migrate"))',
      },
    ],
  },
  {
    ...{ name: "replicas as string", values: "usual", check: "schema", says: /\/spec\/replicas must be integer/ },
    edits: [{ file: pod, from: "replicas: {{ int64 $part.replicas }}", to: "replicas: {{ int64 $part.replicas | toString | quote }}" }],
  },
  {
    ...{ name: "database address for sandbox", values: "usual", check: "environment", says: /woml-sandbox has WOML_DATABASE_URL/ },
    edits: [
      { file: env, from: "{{- if not $isGuests }}", to: '{{- if ne $role "plugin-host" }}' },
      { file: env, from: '"engine" $keys.engine)', to: '"engine" $keys.engine "sandbox" $keys.engine)' },
    ],
  },
  {
    ...{ name: "metadata for plugins", values: "usual", check: "network", says: /^plugin-host reaches metadata:80/ },
    edits: [{ file: "templates/_policy.tpl", from: "          - 169.254.0.0/16\n", to: "" }],
  },
  {
    ...{ name: "sandbox open to all", values: "usual", check: "network", says: /reaches sandbox:7331/ },
    edits: [{ file: "templates/sandbox-networkpolicy.yaml", from: '(list "from" $engines', to: '(list "from" list' }],
  },
  {
    ...{ name: "a second image", values: "full", check: "image", says: /there are 2 images/ },
    edits: [
      {
        file: pod,
        from: 'image: {{ include "woml.image" .root }}',
        to: 'image: {{ ternary "busybox:1" (include "woml.image" .root) (eq .role "migrate") }}',
      },
    ],
  },
  {
    ...{ name: "a writable root", values: "usual", check: "security", says: /may write to its root/ },
    edits: [{ file: pod, from: "readOnlyRootFilesystem: true", to: "readOnlyRootFilesystem: false" }],
  },
  {
    ...{ name: "a service that leads nowhere", values: "usual", check: "wiring", says: /Service\/woml-control leads to the port graphql/ },
    edits: [{ file: "templates/control-service.yaml", from: "targetPort: http", to: "targetPort: graphql" }],
  },
  {
    ...{ name: "engines that look elsewhere", values: "usual", check: "wiring", says: /woml-engine looks for woml-sandboxes:7331/ },
    edits: [{ file: env, from: '"%s-sandbox:7331"', to: '"%s-sandboxes:7331"' }],
  },
  {
    ...{ name: "a secret in plain text", values: "usual", check: "environment", says: /has WOML_SANDBOX_LINE_SECRET in plain text/ },
    edits: [
      {
        file: env,
        from: 'include "woml.from" (list "WOML_SANDBOX_LINE_SECRET" $v.line.existingSecret $v.line.keys.sandbox)',
        to: 'include "woml.is" (list "WOML_SANDBOX_LINE_SECRET" "0123456789abcdef0123456789abcdef")',
      },
    ],
  },
  {
    ...{ name: "versions of Helm that differ", values: "usual", check: "equal", says: /different texts/ },
    edits: [
      {
        file: "templates/_names.tpl",
        from: '"%s-%s" .root.Chart.Name .root.Chart.Version',
        to: '"%s-%s" .root.Chart.Name .root.Capabilities.HelmVersion.Version',
      },
    ],
  },
  {
    ...{ name: "a template that does not run", values: "minimal", check: "lint", says: /control-service\.yaml/ },
    edits: [{ file: "templates/control-service.yaml", from: "spec:", to: "spec: {{ .Values.nothing.here }}" }],
  },
  {
    ...{ name: "values without a secret", values: "usual", check: "render", says: /line\.existingSecret is empty/ },
    edits: [{ file: "ci/usual-values.yaml", from: "existingSecret: woml-line", to: 'existingSecret: ""' }],
  },
];

/** A copy of `chart` with that mistake. Throws where an edit finds nothing to change any more. */
export function spoil(chart: string, { name, edits }: Bad, folder: string): string {
  const copy = join(folder, "woml");
  rmSync(copy, { recursive: true, force: true });
  cpSync(chart, copy, { recursive: true });
  for (const { file, from, to } of edits) {
    const path = join(copy, file);
    if (from === undefined) writeFileSync(path, to);
    else {
      const text = readFileSync(path, "utf8");
      if (!text.includes(from)) throw new Error(`${name}: ${file} has no ${JSON.stringify(from)} any more.`);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
    }
  }
  return copy;
}
