-- Who may do what, written by hand: roles, grants, row-level security, the append-only log, and the indexes Prisma cannot describe.

-- Roles belong to the cluster, so they may stand already, made by an administrator where the owner may make none. No password here: each start sets fresh ones (role.ts).
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['woml_control', 'woml_engine'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = wanted);
    BEGIN
      EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT', wanted);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;

-- Control writes what people ask and publish. It reads runs, and cannot move one.
GRANT SELECT, INSERT ON tenant, api_key, definition_version, request TO woml_control;
GRANT SELECT, INSERT, UPDATE (active) ON workflow TO woml_control;
GRANT SELECT ON run, run_event, timer TO woml_control;

-- The engine moves runs. It sees no tenant's name and no key, and asks nothing of itself.
GRANT SELECT ON definition_version TO woml_engine;
GRANT SELECT, UPDATE (consumed_at, answer) ON request TO woml_engine;
GRANT SELECT, INSERT,
  UPDATE (status, head, at, owner, epoch, next_due, claims, claimed_at, needs, held, held_at, waiting_for) ON run TO woml_engine;
GRANT SELECT, INSERT ON run_event TO woml_engine;
GRANT SELECT, INSERT, UPDATE (due_at), DELETE ON timer TO woml_engine;
GRANT SELECT, INSERT, UPDATE (expires_at, fenced_at), DELETE ON engine TO woml_engine;

-- Row-level security, for the owner too. After a commit the setting reads '', hence nullif.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['tenant', 'api_key', 'workflow', 'definition_version', 'request', 'run', 'run_event', 'timer'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;

CREATE POLICY control_own ON tenant TO woml_control USING (id = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_admin ON tenant TO woml_control USING (current_setting('app.admin', true) = 'on');
CREATE POLICY control_own ON api_key TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_presented ON api_key FOR SELECT TO woml_control USING (id = nullif(current_setting('app.key', true), ''));
CREATE POLICY control_own ON workflow TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_own ON definition_version TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_own ON request TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_own ON run FOR SELECT TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_own ON run_event FOR SELECT TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_own ON timer FOR SELECT TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);

-- The engine serves every tenant in one statement: what its statements join is its wall (append.sql).
CREATE POLICY engine_all ON definition_version FOR SELECT TO woml_engine USING (true);
CREATE POLICY engine_all ON request TO woml_engine USING (true);
CREATE POLICY engine_all ON run TO woml_engine USING (true);
CREATE POLICY engine_all ON run_event TO woml_engine USING (true);
CREATE POLICY engine_all ON timer TO woml_engine USING (true);

-- The log is append-only for everybody, the superuser and a replica's session included.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON run_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE run_event ENABLE ALWAYS TRIGGER append_only;

-- What the loop asks each second: runs by owner and time (held ones are not driven), and the requests nobody has answered.
CREATE INDEX run_due ON run (owner, next_due) WHERE next_due IS NOT NULL AND held IS NULL;
-- Lists of one workflow's runs. Its condition is always true and only keeps the append from taking this index for the primary key's while the
-- table is too small for the planner to tell them apart.
CREATE INDEX run_list ON run (tenant, workflow, id) WHERE workflow IS NOT NULL;
CREATE INDEX request_inbox ON request (created_at, id) WHERE consumed_at IS NULL;

-- Every append writes a new row version of its run; timers come and go; a request is written twice.
ALTER TABLE run SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE timer SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE request SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
