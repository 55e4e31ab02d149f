import type { Rule } from "../visit.ts";
import { actions } from "./lifecycle/actions.ts";
import { filteredHook, knownHook } from "./lifecycle/known-hook.ts";
import { once } from "./lifecycle/once.ts";
import { stepFilter } from "./lifecycle/step-filter.ts";
import { destinations } from "./notice/destinations.ts";
import { message, tagMessage } from "./notice/message.ts";
import { notifyNotEmpty } from "./notice/not-empty.ts";
import { whatsapp } from "./notice/whatsapp.ts";

/** Whether a hook belongs where it stands. Before all other gates: a hook that does not exist is no element of the language. */
export const LIFECYCLE_GATES: readonly Rule[] = [knownHook, filteredHook];

/** What hooks and those whom they and approvals tell must keep to. */
export const LIFECYCLE_RULES: readonly Rule[] = [once, actions, stepFilter, notifyNotEmpty, destinations, whatsapp, message, tagMessage];
