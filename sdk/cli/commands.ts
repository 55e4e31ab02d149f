import { addAdmin } from "./commands/admin.ts";
import { addCheck } from "./commands/check.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addKeys } from "./commands/keys.ts";
import { addLanes } from "./commands/lanes.ts";
import { addPlugins } from "./commands/plugins.ts";
import { addPublish } from "./commands/publish.ts";
import { addRebuild } from "./commands/rebuild.ts";
import { addRoles } from "./commands/roles.ts";
import { addRun } from "./commands/run.ts";
import { addRuns } from "./commands/runs.ts";
import { addSecrets } from "./commands/secrets.ts";
import { addSignal } from "./commands/signal.ts";
import { addSmoke } from "./commands/smoke.ts";
import { addStart } from "./commands/start.ts";
import { addTenants } from "./commands/tenants.ts";
import { addTest } from "./commands/test.ts";
import { addTriggers } from "./commands/triggers.ts";
import { addUp } from "./commands/up.ts";
import { addVerify } from "./commands/verify.ts";
import { addWhatIf } from "./commands/what-if.ts";
import { addWorkflows } from "./commands/workflows.ts";
import { type Add, runWith } from "./program.ts";

const everyday = [
  addCheck,
  addTest,
  addRun,
  addUp,
  addStart,
  addPublish,
  addWorkflows,
  addTriggers,
  addLanes,
  addSignal,
  addRuns,
  addWhatIf,
  addPlugins,
  addSecrets,
  addVerify,
  addDoctor,
  addRebuild,
];

/** In the order in which the help lists them. */
const COMMANDS: readonly Add[] = [...everyday, addTenants, addKeys, addAdmin, addRoles, addSmoke];

/** `woml ARGS`. Answers the exit code; never rejects. */
export const run = (args: readonly string[]): Promise<number> => runWith(args, COMMANDS);
