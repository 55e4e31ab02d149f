import type { Trigger } from "@woml/client";
import { type Command, Option } from "commander";
import { EXIT } from "../exit.ts";
import { type AnyOutput, anyOutputOption, sayAs } from "../output.ts";
import { allOf } from "../pages.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, table } from "../terminal.ts";
import { type SettingOptions, settingOf } from "../trigger-setting.ts";
import { startedBy } from "../triggers.ts";
import { addDeliveries } from "./deliveries.ts";

export function addTriggers(program: Command, settle: Settle): void {
  const triggers = addPlaceOptions(
    program
      .command("triggers")
      .description("Lists what starts runs of the active versions, and when; sets how a trigger is verified or timed."),
  );
  triggers
    .argument("[workflow]", "of this workflow alone")
    .addOption(anyOutputOption())
    .action(async (workflow: string | undefined, options: AnyOutput) => {
      const client = await openPlace(options);
      const found = await allOf((page) => client.triggers({ ...page, ...(workflow !== undefined && { workflow }) }));
      sayAs(options.output, found, () => table([HEAD, ...found.map(row)]));
      settle(EXIT.ok);
    });
  addSet(triggers, settle);
  addDeliveries(triggers, settle);
}

function addSet(triggers: Command, settle: Settle): void {
  triggers
    .command("set")
    .description("Sets how a trigger is verified or timed, whatever its version. What is not named stays as it was set.")
    .argument("<workflow>", "its id")
    .argument("<trigger>", "its id in the workflow")
    .addOption(
      new Option("--verify <scheme>", "who may post to a webhook").choices(["standard", "github", "stripe", "slack", "hmac", "none"]),
    )
    .option("--secret <name>", "a secret to verify with; several while one is replaced", (name: string, before: readonly string[] = []) => [
      ...before,
      name,
    ])
    .option("--header <name>", "of hmac: the header with the signature")
    .addOption(new Option("--algorithm <name>", "of hmac").choices(["sha1", "sha256", "sha384", "sha512"]))
    .addOption(new Option("--encoding <name>", "of hmac").choices(["hex", "base64", "base64url"]))
    .option("--prefix <text>", "of hmac: what stands before the signature")
    .option("--delivery-header <name>", "of hmac: the header that names the delivery")
    .addOption(new Option("--repeated-hour <rule>", "where clocks go back").choices(["each", "once"]))
    .option("--catch-up <n>", "how many of the latest missed slots are run, 1 to 1000")
    .option("--clear", "takes back all that was set")
    .action(async (workflow: string, trigger: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AnyOutput & SettingOptions>();
      const client = await openPlace(options);
      const bound = (await allOf((page) => client.triggers({ ...page, workflow }))).find(({ id }) => id === trigger);
      const setting = settingOf(options, bound?.setting ?? null);
      const set = await client.setTrigger({ workflow, trigger, setting });
      sayAs(options.output, set ?? { workflow, id: trigger, setting }, () => `${workflow} ${trigger}  ${JSON.stringify(setting)}`);
      if (set === null) note("It is set; no version that has this trigger is active.");
      await noteUnset(set, async () => (await client.secrets()).map(({ name }) => name));
      settle(EXIT.ok);
    });
}

async function noteUnset(set: Trigger | null, known: () => Promise<readonly string[]>): Promise<void> {
  if (set === null || set.secrets.length === 0) return;
  const names = await known();
  const unset = set.secrets.filter((name) => !names.includes(name));
  if (unset.length > 0)
    note(
      `Not set yet: ${unset.join(", ")} (woml secrets set NAME). What is sent with ${unset.length === 1 ? "it" : "them"} is not let in until then.`,
    );
}

const HEAD = ["WORKFLOW", "TRIGGER", "KIND", "NEXT", "LAST", "SET", "STARTED BY"];
const row = (trigger: Trigger): readonly string[] => [
  ...[trigger.workflow, trigger.id, trigger.kind, trigger.nextFires[0] ?? ""],
  trigger.lastDelivery === null ? "" : `${trigger.lastDelivery.at} ${trigger.lastDelivery.outcome}`,
  ...[trigger.setting === null ? "" : Object.keys(trigger.setting).join(","), startedBy(trigger)],
];
