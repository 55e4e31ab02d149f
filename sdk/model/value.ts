/** A JSON value as parsed; numbers are finite, objects are plain. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
