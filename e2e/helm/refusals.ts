// Values that are refused, by the schema or by the chart, with the path of what is wrong in what Helm says. The two Helms word it differently.
export interface Refused {
  readonly name: string;
  readonly set: readonly string[];
  readonly says: RegExp;
}
export const REFUSED: readonly Refused[] = [
  { name: "no image", set: ["image.repository="], says: /image\.repository is empty/ },
  { name: "no database", set: ["database.existingSecret="], says: /database\.existingSecret is empty/ },
  { name: "no line", set: ["line.existingSecret="], says: /line\.existingSecret is empty/ },
  { name: "no seal", set: ["seal.existingSecret="], says: /seal\.existingSecret is empty/ },
  { name: "a typo", set: ["control.replicsa=3"], says: /control[^\n]*replicsa/ },
  { name: "a stranger at the root", set: ["postgresql.enabled=true"], says: /postgresql/ },
  { name: "replicas as text", set: ["engine.replicas=two"], says: /engine[./]replicas/ },
  { name: "a short end", set: ["pluginHost.terminationGracePeriodSeconds=70"], says: /pluginHost\.terminationGracePeriodSeconds/ },
  { name: "little memory for workers", set: ["sandbox.workers=9"], says: /sandbox\.resources\.limits\.memory is less than 4288Mi/ },
  { name: "little memory for plugins", set: ["pluginHost.resources.limits.memory=4607Mi"], says: /pluginHost\.resources\.limits\.memory/ },
  { name: "more workers of a tenant than in all", set: ["sandbox.workersPerTenant=9"], says: /sandbox\.workersPerTenant/ },
  { name: "no memory limit", set: ["control.resources.limits.memory=null"], says: /control[./]resources[./]limits/ },
  { name: "a collector somewhere", set: ["telemetry.endpoint=http://collector:4318"], says: /networkPolicy\.telemetry\.to is empty/ },
  { name: "a collector's password", set: ["telemetry.endpoint=http://a:b@collector:4318"], says: /telemetry[./]endpoint/ },
  {
    name: "one secret for both lines",
    set: ["line.keys.pluginHost=sandbox-secret"],
    says: /line\.keys\.sandbox and line\.keys\.pluginHost/,
  },
  { name: "a registry with a scheme", set: ["global.imageRegistry=https://registry.example.com"], says: /global[./]imageRegistry/ },
  { name: "policies taken away by an empty line", set: ["networkPolicy=null"], says: /networkPolicy/ },
  { name: "policies neither on nor off", set: ["networkPolicy.enabled=null"], says: /networkPolicy[^\n]*\n?[^\n]*enabled/ },
  {
    name: "a second value for a setting",
    set: ["engine.extraEnv[0].name=WOML_LOG,engine.extraEnv[0].value=debug"],
    says: /engine[./]extraEnv[./]0[./]name/,
  },
  {
    name: "a secret for the sandbox",
    set: ["sandbox.extraEnv[0].name=A,sandbox.extraEnv[0].valueFrom.secretKeyRef.name=b"],
    says: /sandbox[./]extraEnv[./]0/,
  },
  {
    name: "labels that choose pods",
    set: ["sandbox.podLabels.app\\.kubernetes\\.io/component=engine"],
    says: /podLabels|invalid propertyName .app\.kubernetes\.io\/component/,
  },
  {
    name: "an annotation that takes a pod's confinement off",
    set: ["sandbox.podAnnotations.container\\.apparmor\\.security\\.beta\\.kubernetes\\.io/sandbox=unconfined"],
    says: /podAnnotations|invalid propertyName .container\.apparmor/,
  },
  { name: "an ingress for nobody", set: ["ingress.enabled=true"], says: /ingress\.host is empty/ },
  { name: "a digest that is none", set: ["image.digest=sha256:12"], says: /image[./]digest/ },
];
