/** The stripper's own, which it does not declare. */
declare module "sucrase/dist/NameManager.js" {
  interface NameManager {
    readonly usedNames: ReadonlySet<string>;
    findFreeName(name: string): string;
  }
  const exported: { readonly default: { readonly prototype: NameManager } };
  export default exported;
}
