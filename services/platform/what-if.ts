export { type Difference, type WhatIf, whatIf } from "@woml/engine/what-if";
