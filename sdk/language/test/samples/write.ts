// Writes anew what is kept beside each sample: `node sdk/language/test/samples/write.ts`. Read the difference before you keep it.
import { writeFileSync } from "node:fs";
import { placeOf, samples, shown } from "./sample.ts";

for (const sample of samples) writeFileSync(placeOf(sample), shown(sample));
