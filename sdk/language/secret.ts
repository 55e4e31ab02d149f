/** The platform's own bound; WOML 1.0 has none. */
const FORM = /^\{\{secrets\.([A-Z][A-Z0-9_]{0,127})\}\}$/;

/** The secret that a value is, as `{{secrets.NAME}}` and nothing else; null for every other value. */
export const secretName = (value: string): string | null => FORM.exec(value)?.[1] ?? null;
