export interface Line {
  readonly cents: number;
}

export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, { cents }) => sum + cents, 0);
}

export async function rate(country: string): Promise<number> {
  const answer = await services.http.request({ url: "https://rates.example.com/" + country });
  return answer.data.rate;
}
