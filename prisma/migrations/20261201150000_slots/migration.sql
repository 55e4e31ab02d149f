-- What engines do of their own when a slot comes, written by hand.

-- A start carries what its tenant wants of outcomes that nobody knows; nothing else of a tenant is told.
GRANT SELECT (id, on_ambiguous) ON tenant TO woml_engine;
CREATE POLICY engine_all ON tenant FOR SELECT TO woml_engine USING (true);

-- Runs that nobody has admitted yet, or ever will, as they stand in lists.
CREATE INDEX request_unborn ON request (tenant, run) WHERE kind = 'start' AND (consumed_at IS NULL OR answer IS NOT NULL);
