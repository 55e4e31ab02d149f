// What doors lack of the secrets that their triggers name. An engine seals them for a door, and for no other.
import { asTenantId } from "@woml/run";
import type { Ask } from "./load.ts";
import type { DoorWant, TriggerStore } from "./trigger.ts";

const NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
/** What was sealed for doors that are not there any more opens nothing, for nobody has their keys. */
const CLEAR = "DELETE FROM door_secret g WHERE NOT EXISTS (SELECT FROM door d WHERE d.id = g.door)";
/** $1 how many. Those of the definition, and those of what was set for the trigger where it runs. */
const WANTING = `WITH named AS (
  SELECT b.tenant, unnest(b.secrets) AS name FROM trigger_binding b WHERE b.kind IN ('webhook', 'signal')
  UNION
  SELECT b.tenant, json_array_elements_text(t.setting #> '{verification,secrets}') FROM trigger_binding b
  JOIN trigger_setting t ON t.tenant = b.tenant AND t.workflow = b.workflow AND t.trigger = b.trigger WHERE b.kind IN ('webhook', 'signal')
)
SELECT s.tenant, d.id AS door, d.public_key AS "publicKey", s.name, s.sealed, s.updated_at AS "setAt"
FROM named n JOIN secret s ON s.tenant = n.tenant AND s.name = n.name CROSS JOIN door d
LEFT JOIN door_secret g ON g.tenant = s.tenant AND g.door = d.id AND g.name = s.name
WHERE d.expires_at > ${NOW} AND g.set_at IS DISTINCT FROM s.updated_at
ORDER BY s.updated_at DESC, s.tenant, s.name, d.id LIMIT $1`;
/** $1 tenant, $2 door, $3 name, $4 sealed, $5 when the value was set. Which value it is of is asked again in a second. */
const GIVE = `INSERT INTO door_secret AS g (tenant, door, name, sealed, set_at) VALUES ($1::uuid, $2::uuid, $3, $4, $5)
ON CONFLICT (tenant, door, name) DO UPDATE SET sealed = excluded.sealed, set_at = excluded.set_at WHERE g.set_at <> excluded.set_at`;

export function doorWants(ask: Ask): Pick<TriggerStore, "wanting" | "give"> {
  return {
    wanting: async (limit) => {
      await ask({ name: "door_clear", text: CLEAR });
      const { rows } = await ask<Omit<DoorWant, "tenant"> & { tenant: string }>({ name: "door_wanting", text: WANTING, values: [limit] });
      return rows.map(({ tenant, ...rest }) => ({ ...rest, tenant: asTenantId(tenant), setAt: Number(rest.setAt) }));
    },
    give: async ({ tenant, door, name, setAt }, sealed) => {
      await ask({ name: "door_give", text: GIVE, values: [tenant, door, name, Buffer.from(sealed), setAt] });
    },
  };
}
