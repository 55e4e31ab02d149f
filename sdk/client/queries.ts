const SUMMARY = "id workflow version status labels waiting createdAt endedAt";
const DIAGNOSTIC = "file code severity message hint start { line column offset } end { line column offset }";
const EVENTS = "events(first: 100, after: $after) { edges { node { seq type at data } } pageInfo { hasNextPage endCursor } }";

export const ME: string = "{ me { tenant { id name } admin } }";
export const CHECK: string = `query ($files: [SourceInput!]!) { check(files: $files) { ${DIAGNOSTIC} } }`;
export const PUBLISH: string = `mutation ($input: PublishInput!) { publish(input: $input) { version created diagnostics { ${DIAGNOSTIC} } } }`;
export const START_RUN: string = `mutation ($input: StartRunInput!) { startRun(input: $input) { duplicate run { ${SUMMARY} } } }`;
export const DEFINITION: string = "query ($id: ID!) { version(id: $id) { definition } }";
export const RESUME_RUN: string = `mutation ($input: ResumeRunInput!) { resumeRun(input: $input) { duplicate run { ${SUMMARY} } } }`;
export const RERUN: string = `mutation ($input: RerunInput!) { rerun(input: $input) { duplicate run { ${SUMMARY} } } }`;
export const CANCEL_RUN: string = `mutation ($input: CancelRunInput!) { cancelRun(input: $input) { run { ${SUMMARY} } } }`;
export const EMIT_SIGNAL: string = `mutation ($input: EmitSignalInput!) { emitSignal(input: $input) {
  id name status accepted duplicate rejected deliveries { workflow trigger status run code message issues { path message } } } }`;
export const CREATE_TENANT: string = "mutation ($input: CreateTenantInput!) { createTenant(input: $input) { tenant { id name } key } }";
export const RUN_SUMMARY: string = `query ($id: ID!) { run(id: $id) { ${SUMMARY} } }`;
export const RUN_LOG: string = `query ($id: ID!, $after: String) { run(id: $id) { ${SUMMARY} head ${EVENTS} } }`;
export const RUN_ASKED: string = "query ($id: ID!) { run(id: $id) { payload failure } }";
export const RUNS: string = `query ($first: Int, $after: String, $workflow: ID, $status: [RunStatus!], $label: String) {
  runs(first: $first, after: $after, workflow: $workflow, status: $status, label: $label) {
    edges { node { ${SUMMARY} } } pageInfo { hasNextPage endCursor } } }`;
export const VERIFY: string = `query ($first: Int, $after: String) { verify(first: $first, after: $after) {
  edges { node { run tenant ok differences } } pageInfo { hasNextPage endCursor } } }`;
export const DOCTOR: string = "{ doctor { isComplete findings { kind run tenant cause since advice } } }";

const SECRET = "name createdAt updatedAt";
const RELEASE =
  "release capability version manifest artefactDigest manifestDigest submittedBy createdAt approved { by at } revokedAt granted";
const KEY = "id tenant scopes createdAt";
const PAGE_INFO = "pageInfo { hasNextPage endCursor }";

export const STANDING: string = "query ($id: ID!) { run(id: $id) { head unresolvedEffects } }";
export const RESOLVE_UNKNOWN: string = `mutation ($input: ResolveUnknownInput!) { resolveUnknown(input: $input) { run { ${SUMMARY} } } }`;
export const RESOLVE_APPROVAL: string = `mutation ($input: ResolveApprovalInput!) { resolveApproval(input: $input) { run { ${SUMMARY} } } }`;
export const SECRETS: string = `{ secrets { ${SECRET} } }`;
export const SET_SECRET: string = `mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { ${SECRET} } } }`;
export const REMOVE_SECRET: string = "mutation ($input: RemoveSecretInput!) { removeSecret(input: $input) { removed } }";
export const PLUGINS: string = `query ($first: Int, $after: String) { plugins(first: $first, after: $after) {
  edges { node { ${RELEASE} } } ${PAGE_INFO} } }`;
export const SUBMIT_PLUGIN: string = `mutation ($input: SubmitPluginInput!) { submitPlugin(input: $input) {
  release { ${RELEASE} } created complaints } }`;
export const APPROVE_PLUGIN: string = `mutation ($input: ApprovePluginInput!) { approvePlugin(input: $input) { release { ${RELEASE} } } }`;
export const REVOKE_PLUGIN: string = `mutation ($input: RevokePluginInput!) { revokePlugin(input: $input) { release { ${RELEASE} } } }`;
export const GRANT_PLUGIN: string = "mutation ($input: PluginGrantInput!) { grantPlugin(input: $input) { changed } }";
export const REVOKE_GRANT: string = "mutation ($input: PluginGrantInput!) { revokeGrant(input: $input) { changed } }";
export const AUDIT: string = `query ($first: Int, $after: String) { audit(first: $first, after: $after) {
  edges { node { id tenant at actor action subject detail } } ${PAGE_INFO} } }`;
const DELIVERY = "id workflow trigger kind outcome code source count at run bodyDigest secret detail";
export const DELIVERIES: string = `query ($first: Int, $after: String, $workflow: ID, $trigger: ID) {
  deliveries(first: $first, after: $after, workflow: $workflow, trigger: $trigger) { edges { node { ${DELIVERY} } } ${PAGE_INFO} } }`;
export const REDELIVER: string = `mutation ($input: RedeliverInput!) { redeliver(input: $input) { run { id } delivery { ${DELIVERY} } } }`;
export const TENANTS: string = `query ($first: Int, $after: String) { tenants(first: $first, after: $after) {
  edges { node { id name } } ${PAGE_INFO} } }`;
export const KEYS: string = `query ($first: Int, $after: String, $tenant: ID) { keys(first: $first, after: $after, tenant: $tenant) {
  edges { node { ${KEY} } } ${PAGE_INFO} } }`;
export const CREATE_KEY: string = "mutation ($input: CreateKeyInput!) { createKey(input: $input) { id key } }";
export const REVOKE_KEY: string = `mutation ($input: RevokeKeyInput!) { revokeKey(input: $input) { key { ${KEY} } } }`;
export const ON_AMBIGUOUS: string = "{ onAmbiguous }";
export const SET_ON_AMBIGUOUS: string = "mutation ($input: SetOnAmbiguousInput!) { setOnAmbiguous(input: $input) { onAmbiguous } }";

const WORKFLOW = "id name active { id }";
const TRIGGER =
  "id workflow kind version url signal cron timezone everyMs onMissed secrets setting since nextFires lastDelivery { outcome code at run }";
export const WORKFLOWS: string = `query ($first: Int, $after: String) { workflows(first: $first, after: $after) {
  edges { node { ${WORKFLOW} } } ${PAGE_INFO} } }`;
export const ACTIVATE: string = `mutation ($input: ActivateInput!) { activate(input: $input) { changed workflow { ${WORKFLOW} } } }`;
export const DEACTIVATE: string = `mutation ($input: DeactivateInput!) { deactivate(input: $input) { changed workflow { ${WORKFLOW} } } }`;
export const TRIGGERS: string = `query ($first: Int, $after: String, $workflow: ID) {
  triggers(first: $first, after: $after, workflow: $workflow) { edges { node { ${TRIGGER} } } ${PAGE_INFO} } }`;
export const SET_TRIGGER: string = `mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { ${TRIGGER} } } }`;
export const LANES: string = `query ($workflow: ID) { lanes(workflow: $workflow) {
  kind workflow most rateCount rateMs queue active waiting resuming holders { run workflow since } } }`;
export const QUOTAS: string = "{ quotas { name limit used resetsAt } }";
export const SET_QUOTA: string = "mutation ($input: SetQuotaInput!) { setQuota(input: $input) { quota { name limit } } }";
