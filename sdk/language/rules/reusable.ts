import type { Rule } from "../visit.ts";
import { tagEmpty } from "./reusable/empty.ts";
import { tagPlacement } from "./reusable/placement.ts";
import { propValue } from "./reusable/prop-value.ts";
import { tagProps } from "./reusable/props.ts";
import { shadowedProvider } from "./reusable/shadowed.ts";
import { importedSource } from "./reusable/source.ts";
import { tagId } from "./reusable/tag-id.ts";
import { tagRetry } from "./reusable/tag-retry.ts";
import { tagWeight } from "./reusable/weight.ts";

/** Whether a tag of an imported definition belongs where it stands, and what it may not hold. */
export const REUSABLE_GATES: readonly Rule[] = [tagPlacement, tagEmpty];

/** What imports of definitions and their tags must keep to. */
export const REUSABLE_RULES: readonly Rule[] = [importedSource, shadowedProvider, tagId, tagRetry, tagProps, propValue, tagWeight];
