// Whose schema asks for more than others may wait keeps others waiting for one delivery of it, not for all that have come.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { hooked, postTo } from "./hooked.ts";
import { chain, openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const greedy = await opened.tenant("greedy");
const other = await opened.tenant("other");
const MANY = Array.from({ length: 6 });

/** Two ways at each of thirty turns: judging it stops when it has cost what it may. */
const COSTLY = JSON.stringify({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, nth) => [`d${nth}`, nth === 30 ? true : { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${nth + 1}` })) }]),
  ),
});
const EMIT = "mutation ($input: EmitSignalInput!) { emitSignal(input: $input) { rejected deliveries { code } } }";

before(async () => {
  await publishText(greedy, hooked("costly", { schema: COSTLY }));
  const event = `<event id="heard" name="costly.signal"><schema>${COSTLY}</schema></event>`;
  await publishText(greedy, chain("ear", { a: "return 1;" }).replace('<manual id="go"/>', event));
  await publishText(other, hooked("plain"));
});

for (const [what, ask] of [
  ["webhooks", async () => (await post("/t/greedy/hooks/costly")).body.error?.issues?.[0]?.message],
  [
    "signals",
    async () => {
      const said = await greedy.field<{ deliveries: readonly { code: string }[] }>("emitSignal", EMIT, {
        input: { name: "costly.signal" },
      });
      return said.deliveries[0]?.code;
    },
  ],
] as const) {
  test(`${what} of one tenant that cost a lot are judged one at a time: another's is taken before most of them`, async () => {
    let answered = 0;
    const all = MANY.map(async () => {
      const told = await ask();
      answered += 1;
      return told;
    });
    assert.equal((await post("/t/other/hooks/plain")).status, 202);
    assert.ok(answered < MANY.length / 2, `${answered} of them were before it`);
    const told = new Set(await Promise.all(all));
    assert.equal(told.size, 1);
    assert.match([...told].join(), /^(takes more than 5000000 steps to be judged|WOML_PAYLOAD_TOO_COMPLEX)$/);
  });
}
