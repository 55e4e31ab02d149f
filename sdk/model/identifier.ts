import { Type } from "typebox";

/** Node ids. Markup gives `[a-z][A-Za-z0-9]*` of at most 256 characters; a colon marks the opening half of a group (`c:select`, `p:open`). */
export const NodeId = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_.:-]{0,262}$" });
/** Workflow ids, as the language spells them (reference: at most 256 characters of kebab-case). */
export const WorkflowId = Type.String({ pattern: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$", maxLength: 256 });
/** Ids of arms and triggers. */
export const LocalId = Type.String({ pattern: "^[a-z][A-Za-z0-9-]{0,255}$" });
/** Any text that is not blank. */
export const Label = Type.String({ pattern: "\\S", maxLength: 4096 });
