import type { Page, PageAsk } from "@woml/client";

/** Every item of a list, page by page. */
export async function allOf<T>(ask: (page: PageAsk) => Promise<Page<T>>): Promise<readonly T[]> {
  const found: T[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<T> = await ask({ first: 100, after });
    found.push(...page.items);
    after = page.endCursor;
    if (!page.hasNextPage) return found;
  }
}
