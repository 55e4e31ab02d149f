-- AlterTable
ALTER TABLE "request" ADD COLUMN     "due_at" BIGINT;

-- CreateTable
CREATE TABLE "trigger_binding" (
    "tenant" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "route" TEXT,
    "spec" JSON NOT NULL,
    "secrets" TEXT[],
    "since" BIGINT NOT NULL,
    "next_at" BIGINT,

    CONSTRAINT "trigger_binding_pkey" PRIMARY KEY ("tenant","workflow","trigger")
);

-- CreateTable
CREATE TABLE "trigger_setting" (
    "tenant" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "setting" JSON NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "trigger_setting_pkey" PRIMARY KEY ("tenant","workflow","trigger")
);

-- CreateTable
CREATE TABLE "delivery" (
    "tenant" UUID NOT NULL,
    "id" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "code" TEXT,
    "source" TEXT,
    "bucket" TEXT,
    "count" INTEGER NOT NULL DEFAULT 1,
    "at" BIGINT NOT NULL,
    "run" UUID,
    "body_digest" TEXT,
    "secret" TEXT,
    "payload" JSON,
    "detail" JSON,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("tenant","id")
);

-- CreateTable
CREATE TABLE "door" (
    "id" UUID NOT NULL,
    "public_key" TEXT NOT NULL,
    "expires_at" BIGINT NOT NULL,

    CONSTRAINT "door_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "door_secret" (
    "tenant" UUID NOT NULL,
    "door" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "set_at" BIGINT NOT NULL,

    CONSTRAINT "door_secret_pkey" PRIMARY KEY ("tenant","door","name")
);

-- CreateIndex
CREATE INDEX "trigger_binding_tenant_kind_route_idx" ON "trigger_binding"("tenant", "kind", "route");

-- CreateIndex
CREATE INDEX "delivery_tenant_workflow_trigger_id_idx" ON "delivery"("tenant", "workflow", "trigger", "id");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_tenant_bucket_key" ON "delivery"("tenant", "bucket");

-- What follows is written by hand.

-- What starts runs of the versions that are active. Control writes them with the activation; of a schedule the engine moves the next time alone.
GRANT SELECT, INSERT, UPDATE (kind, version, route, spec, secrets, since, next_at), DELETE ON trigger_binding TO woml_control;
GRANT SELECT, UPDATE (next_at) ON trigger_binding TO woml_engine;
GRANT SELECT, INSERT, UPDATE (setting, updated_at), DELETE ON trigger_setting TO woml_control;
GRANT SELECT ON trigger_setting TO woml_engine;
-- What came to a door, or was due, and what became of it. Equal refusals of a minute are one row that counts them.
GRANT SELECT, INSERT, UPDATE (count, at) ON delivery TO woml_control;
GRANT SELECT, INSERT ON delivery TO woml_engine;
-- A process of control that opens doors, with a key made at its start whose other half it never tells; and the secrets that triggers name, sealed for it by
-- an engine. Nothing of that outlives the process.
GRANT SELECT, INSERT, UPDATE (expires_at), DELETE ON door TO woml_control;
GRANT SELECT ON door TO woml_engine;
GRANT SELECT, DELETE ON door_secret TO woml_control;
GRANT SELECT, INSERT, UPDATE (sealed, set_at), DELETE ON door_secret TO woml_engine;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['trigger_binding', 'trigger_setting', 'delivery', 'door', 'door_secret'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    CONTINUE WHEN name = 'door';
    EXECUTE format('CREATE POLICY control_own ON %I TO woml_control USING (tenant = nullif(current_setting(''app.tenant'', true), '''')::uuid)', name);
  END LOOP;
END $$;
CREATE POLICY engine_all ON trigger_binding TO woml_engine USING (true);
CREATE POLICY engine_all ON trigger_setting FOR SELECT TO woml_engine USING (true);
CREATE POLICY engine_all ON delivery TO woml_engine USING (true);
CREATE POLICY engine_all ON door_secret TO woml_engine USING (true);
-- Keys alone stand in it, and whose process they are: nobody's data.
CREATE POLICY control_all ON door TO woml_control USING (true);
CREATE POLICY engine_all ON door FOR SELECT TO woml_engine USING (true);
-- A tenant's doors stand under its name: whoever asks at one knows that name, and nothing else can be seen by it.
CREATE POLICY control_named ON tenant FOR SELECT TO woml_control USING (name = nullif(current_setting('app.door', true), ''));

-- Two triggers of a tenant cannot have one path.
CREATE UNIQUE INDEX trigger_route ON trigger_binding (tenant, route) WHERE kind = 'webhook';
CREATE INDEX trigger_due ON trigger_binding (next_at) WHERE next_at IS NOT NULL;
ALTER TABLE trigger_binding ADD CONSTRAINT trigger_kind CHECK (kind IN ('manual', 'webhook', 'schedule', 'interval', 'signal'));
ALTER TABLE delivery ADD CONSTRAINT delivery_outcome CHECK (outcome IN ('accepted', 'duplicate', 'rejected', 'refused', 'missed'));
