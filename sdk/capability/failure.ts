/**
 * What `perform` throws when it knows what happened. Known failures say that nothing was done, or that the provider answered no;
 * `ambiguous` that it may have been done. Anything else that is thrown is judged by what had left the process.
 */
export class PluginFailure extends Error {
  override readonly name = "PluginFailure";
  /** Upper case with underscores, the plugin's own. */
  readonly code: string;
  readonly ambiguous: boolean;

  constructor(code: string, message: string, ambiguous = false) {
    super(message);
    this.code = code;
    this.ambiguous = ambiguous;
  }
}

export function failure(code: string, message: string, options: { readonly ambiguous?: boolean } = {}): PluginFailure {
  return new PluginFailure(code, message, options.ambiguous ?? false);
}
