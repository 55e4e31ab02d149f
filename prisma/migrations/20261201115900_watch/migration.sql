-- What somebody who looks after the platform asks for, written by hand.

-- Runs that no engine drives of itself: held ones, and those that only somebody else's word moves. Counted by every engine, listed by control.
CREATE INDEX run_idle ON run (tenant, id)
  WHERE held IS NOT NULL OR (next_due IS NULL AND status NOT IN ('succeeded', 'failed', 'cancelled'));

-- Whether the engine that a run belongs to is there.
GRANT SELECT (id, expires_at, fenced_at) ON engine TO woml_control;

-- A row that is made anew from its log (rebuild.ts). The log says these too, and nobody may change that.
GRANT UPDATE (workflow, version, labels) ON run TO woml_engine;
