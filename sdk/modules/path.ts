import { type Fault, quoted } from "./diagnostic.ts";

const RELATIVE = /^\.{1,2}\//;
const PACKAGE = /^(?:[\w@#$~-][^:\\?]*|(?:node|bun|npm|jsr):.*)$/;
const EXTENSION = /\.([^./]+)$/;
const HINT = "Import a file of the project by a relative path with its extension: ./prices.ts.";

/** Why what an import names is nothing that can be imported; null when it can. */
export function specifierFault(specifier: string): Pick<Fault, "code" | "message" | "hint"> | null {
  if (!RELATIVE.test(specifier)) {
    if (PACKAGE.test(specifier)) {
      const message = `${quoted(specifier)} is a package: a module may import files of its project alone.`;
      return { code: "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", message, hint: HINT };
    }
    const message = `${quoted(specifier)} is not a relative path.`;
    return { code: "WOML_MODULE_IMPORT_UNSUPPORTED", message, hint: HINT };
  }
  if (/[\\?#%]/.test(specifier)) {
    const message = `${quoted(specifier)} holds a character that a path of a module may not hold.`;
    return { code: "WOML_MODULE_IMPORT_UNSUPPORTED", message, hint: HINT };
  }
  const extension = EXTENSION.exec(specifier)?.[1];
  if (extension === undefined) {
    const message = `${quoted(specifier)} does not say its extension.`;
    return { code: "WOML_MODULE_IMPORT_EXTENSION_REQUIRED", message, hint: `Write it out: ${specifierWith(specifier)}.` };
  }
  if (extension === "js" || extension === "ts") return null;
  return {
    code: "WOML_MODULE_EXTENSION_UNSUPPORTED",
    message: `A module is a .js or a .ts file, not .${extension.slice(0, 20)}.`,
    hint: HINT,
  };
}

const specifierWith = (specifier: string): string => (specifier.length > 60 ? "./prices.ts" : `${specifier.replace(/\/+$/, "/index")}.ts`);
