/** The platform's own bound. */
const FORM = /^\{\{secrets\.([A-Z][A-Z0-9_]{0,127})\}\}$/;
/** WOML 1.0 has none. */
const UNBOUNDED = /^\{\{secrets\.[A-Z][A-Z0-9_]*\}\}$/;

/** The secret that a value is, as `{{secrets.NAME}}` and nothing else; null for every other value. */
export const secretName = (value: string): string | null => FORM.exec(value)?.[1] ?? null;

/** Whether nothing but its length speaks against the name of a secret. */
export const isLongSecret = (value: string): boolean => secretName(value) === null && UNBOUNDED.test(value);
