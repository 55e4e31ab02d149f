-- Who may do what with secrets, plugins and the audit, written by hand.

-- Control keeps what people give it. A secret is sealed before it comes here, and control cannot open it.
GRANT UPDATE (on_ambiguous) ON tenant TO woml_control;
GRANT SELECT, INSERT, UPDATE (sealed, updated_at), DELETE ON secret TO woml_control;
GRANT SELECT, INSERT ON plugin_release, plugin_approval, plugin_revocation, audit_entry TO woml_control;
GRANT SELECT, INSERT, DELETE ON plugin_grant TO woml_control;

-- The engine reads what it needs before each dispatch, and changes none of it.
GRANT SELECT ON secret, plugin_release, plugin_approval, plugin_revocation, plugin_grant TO woml_engine;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['secret', 'plugin_release', 'plugin_approval', 'plugin_revocation', 'plugin_grant', 'audit_entry'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;

CREATE POLICY control_own ON secret TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY engine_all ON secret FOR SELECT TO woml_engine USING (true);

-- Releases are the platform's, not a tenant's: anybody may read one, and hand one in under his own name.
CREATE POLICY control_reads ON plugin_release FOR SELECT TO woml_control USING (true);
CREATE POLICY control_submits ON plugin_release FOR INSERT TO woml_control
  WITH CHECK (submitter = nullif(current_setting('app.tenant', true), '')::uuid OR current_setting('app.admin', true) = 'on');
CREATE POLICY engine_all ON plugin_release FOR SELECT TO woml_engine USING (true);

-- Only the administrator says what may be run, and by whom.
CREATE POLICY control_reads ON plugin_approval FOR SELECT TO woml_control USING (true);
CREATE POLICY control_approves ON plugin_approval FOR INSERT TO woml_control WITH CHECK (current_setting('app.admin', true) = 'on');
CREATE POLICY engine_all ON plugin_approval FOR SELECT TO woml_engine USING (true);
CREATE POLICY control_reads ON plugin_revocation FOR SELECT TO woml_control USING (true);
CREATE POLICY control_revokes ON plugin_revocation FOR INSERT TO woml_control WITH CHECK (current_setting('app.admin', true) = 'on');
CREATE POLICY engine_all ON plugin_revocation FOR SELECT TO woml_engine USING (true);
CREATE POLICY control_own ON plugin_grant FOR SELECT TO woml_control
  USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_admin ON plugin_grant TO woml_control USING (current_setting('app.admin', true) = 'on');
CREATE POLICY engine_all ON plugin_grant FOR SELECT TO woml_engine USING (true);

CREATE POLICY control_own ON audit_entry TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY control_admin ON audit_entry TO woml_control USING (current_setting('app.admin', true) = 'on');

-- What was reviewed stays as it was, and so does what is written about who did what: for everybody.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['plugin_release', 'plugin_approval', 'plugin_revocation', 'audit_entry'] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only', name);
  END LOOP;
END $$;

ALTER TABLE plugin_release ADD CONSTRAINT plugin_release_artefact CHECK (octet_length(artefact) BETWEEN 1 AND 20971520);
ALTER TABLE tenant ADD CONSTRAINT tenant_on_ambiguous CHECK (on_ambiguous = 'fail');
