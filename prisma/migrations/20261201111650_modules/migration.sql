-- CreateTable
CREATE TABLE "module" (
    "tenant" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "module_pkey" PRIMARY KEY ("tenant","digest")
);

-- What follows is written by hand.

-- Control stores the modules of a version beside it, the engine reads them; a text is known by its digest, and is never another.
GRANT SELECT, INSERT ON module TO woml_control;
GRANT SELECT ON module TO woml_engine;
ALTER TABLE module ENABLE ROW LEVEL SECURITY;
ALTER TABLE module FORCE ROW LEVEL SECURITY;
CREATE POLICY control_own ON module TO woml_control USING (tenant = nullif(current_setting('app.tenant', true), '')::uuid);
CREATE POLICY engine_all ON module FOR SELECT TO woml_engine USING (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON module FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE module ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE module ADD CONSTRAINT module_text CHECK (octet_length(text) BETWEEN 1 AND 3145728);
