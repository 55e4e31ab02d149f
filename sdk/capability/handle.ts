/**
 * Secrets in inputs. A script holds handles: texts nobody can guess, under a tag of its attempt. `woml_secret.<tag>.n.<NAME>.` is a secret;
 * `woml_secret.<tag>.d.<hex>.` is derived, and the hex is the UTF-8 JSON of a Part. `tag` is 32 hex digits, `tagOf` the run's seed's.
 * Stored, a text with handles in it is `{"$secret": "NAME"}` (the handle alone) or `{"$secret": [Part, …]}`; a member that an author calls
 * `$secret`, `$$secret` … gets one more `$`. What is stored says which secret, never its value.
 */
export type Part =
  | string
  | { readonly secret: string }
  | { readonly base64: readonly Part[] }
  /** As encodeURIComponent. */
  | { readonly url: readonly Part[] };
