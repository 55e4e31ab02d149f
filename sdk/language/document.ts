import type { Diagnostic, Remark } from "./diagnostic.ts";
import type { Findings } from "./findings.ts";
import type { Bundle, Profile } from "./project.ts";
import type { Reading } from "./script/reading.ts";
import type { Attribute, Element } from "./tree.ts";

/** What a document defines; null when that cannot be told, which is reported. */
export type Defines = "workflow" | "step" | "provider" | null;

/** One prop of a reusable definition; `binding` is its name in scripts (lower camel case). */
export interface DeclaredProp {
  readonly name: string;
  readonly binding: string;
  readonly required: boolean;
  readonly secret: boolean;
}
/** A `.woml` that a document imports. */
export interface Imported {
  readonly alias: string;
  readonly from: Attribute;
  /** null: it cannot be used, which is reported; its tag is known all the same. */
  readonly definition: ReusableDefinition | null;
  /** Why there is none, where that is to be said at `from`. */
  readonly fault: Remark | null;
}
export interface ReusableDefinition {
  readonly kind: "step" | "provider";
  readonly document: Document;
  readonly props: ReadonlyMap<string, DeclaredProp>;
}
/** What `<imports>` brings into a document, each by the name that the document gives it. Only the first of two with one name. */
export interface Imports {
  /** Capabilities (`<uses>`). */
  readonly uses: ReadonlySet<string>;
  /** JavaScript modules; null: it could not be bundled, which is reported. */
  readonly modules: ReadonlyMap<string, Bundle | null>;
  /** Why a module cannot be used, where that is to be said at its `from`. */
  readonly absent: ReadonlyMap<Attribute, Remark>;
  /** What is wrong with modules, said of their own files. */
  readonly told: readonly Diagnostic[];
  /** Reusable definitions, by tag. */
  readonly reusables: ReadonlyMap<string, Imported>;
}
/** A parsed document and what stands around it. Every document has findings of its own: its diagnostics name its file. */
export interface Document {
  readonly path: string;
  readonly text: string;
  readonly root: Element;
  readonly defines: Defines;
  readonly imports: Imports;
  readonly findings: Findings;
  readonly profile: Profile | undefined;
  /** What can be said about a script from its text; read once. */
  read(script: Element): Reading;
}
