-- What engines do of their own when a slot comes, written by hand.

-- A start carries what its tenant wants of outcomes that nobody knows; nothing else of a tenant is told.
GRANT SELECT (id, on_ambiguous) ON tenant TO woml_engine;
CREATE POLICY engine_all ON tenant FOR SELECT TO woml_engine USING (true);
