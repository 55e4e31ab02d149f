import type { Rule } from "../visit.ts";
import { chatLists, whatsappSource } from "./trigger/chat.ts";
import { eventName } from "./trigger/event-name.ts";
import { intervalLength, missedTimes, scheduleTime } from "./trigger/schedule.ts";
import { payloadSchema } from "./trigger/schema.ts";
import { webhookAuth, webhookRoute } from "./trigger/webhook.ts";

export const TRIGGER_RULES: readonly Rule[] = [
  webhookRoute,
  webhookAuth,
  scheduleTime,
  intervalLength,
  missedTimes,
  eventName,
  chatLists,
  whatsappSource,
  payloadSchema,
];
