import { type Diagnostic, schemaFaults } from "@woml/language";
import type { Definition } from "@woml/model";

/**
 * What is wrong with the schemas of a definition that no source of the language lowers to: the same that is said of a source, so that none is
 * stored by which no payload can be judged, or with a pattern that is not matched in linear time.
 */
export function unsoundSchemas({ triggers }: Definition): readonly Diagnostic[] {
  return triggers.flatMap((trigger, at) => {
    if ((trigger.kind !== "webhook" && trigger.kind !== "signal") || trigger.schema === undefined) return [];
    const unsound = trigger.kind === "webhook" ? "WOML_WEBHOOK_SCHEMA_INVALID" : "WOML_EVENT_SCHEMA_INVALID";
    return schemaFaults(trigger.schema).map(({ kind, pointer, why }): Diagnostic => {
      const code = kind === "pattern" ? "WOML_SCHEMA_PATTERN_UNSUPPORTED" : unsound;
      const message = `/triggers/${at}/schema${pointer}: ${why}`;
      return { file: "definition", code, severity: "error", message, hint: null, start: null, end: null };
    });
  });
}
