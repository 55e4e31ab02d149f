-- AlterTable
ALTER TABLE "request" ADD COLUMN     "workflow" TEXT;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "begun_at" BIGINT,
ADD COLUMN     "holds" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lined_at" BIGINT,
ADD COLUMN     "start_no" INTEGER;

-- CreateTable
CREATE TABLE "lane" (
    "tenant" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "most" INTEGER,
    "rate_count" INTEGER,
    "rate_ms" BIGINT,
    "queue" TEXT,
    "active" INTEGER NOT NULL DEFAULT 0,
    "start_no" INTEGER NOT NULL DEFAULT 0,
    "started_by" BIGINT NOT NULL DEFAULT 0,
    "counted" BOOLEAN NOT NULL DEFAULT false,
    "made_by" BIGINT NOT NULL,

    CONSTRAINT "lane_pkey" PRIMARY KEY ("tenant","kind","name")
);

-- CreateTable
CREATE TABLE "quota" (
    "tenant" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "value" BIGINT NOT NULL,
    "set_at" BIGINT NOT NULL,

    CONSTRAINT "quota_pkey" PRIMARY KEY ("tenant","name")
);

-- CreateTable
CREATE TABLE "usage" (
    "tenant" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "since" BIGINT NOT NULL,
    "amount" BIGINT NOT NULL,

    CONSTRAINT "usage_pkey" PRIMARY KEY ("tenant","name","since")
);

-- What follows is written by hand.

-- Where a start lines up. What an older build asks for meanwhile has its place too.
CREATE FUNCTION line_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.workflow := coalesce(NEW.body->>'workflow', '');
  RETURN NEW;
END $$;
CREATE TRIGGER line_up BEFORE INSERT ON request FOR EACH ROW WHEN (NEW.kind = 'start' AND NEW.workflow IS NULL) EXECUTE FUNCTION line_up();
UPDATE request SET workflow = coalesce(body->>'workflow', '') WHERE kind = 'start' AND consumed_at IS NULL;
DROP INDEX request_inbox;
CREATE INDEX request_line ON request (tenant, workflow, (coalesce(due_at, created_at)), id) WHERE consumed_at IS NULL AND kind = 'start';
CREATE INDEX request_word ON request (created_at, id) WHERE consumed_at IS NULL AND kind <> 'start';

-- As near as a row says it; `woml rebuild` makes it what the log says.
UPDATE run SET holds = true WHERE held IS NULL AND status IN ('running', 'waiting') AND waiting_for->>'cause' IN ('script', 'operation');
CREATE INDEX run_holding ON run (tenant, workflow) WHERE holds;
CREATE INDEX run_lined ON run (tenant, workflow, lined_at) WHERE lined_at IS NOT NULL;
CREATE INDEX run_begun ON run (tenant, workflow, start_no) WHERE start_no IS NOT NULL;
GRANT UPDATE (holds, lined_at, start_no, begun_at) ON run TO woml_engine;

-- Limits are control's, what is counted under them the engine's: in the append that changes it.
ALTER TABLE lane ALTER COLUMN made_by SET DEFAULT (pg_current_xact_id()::text)::bigint;
ALTER TABLE lane SET (fillfactor = 50);
ALTER TABLE lane ADD CONSTRAINT lane_kind CHECK (kind IN ('tenant', 'workflow'));
GRANT SELECT, INSERT, UPDATE (most, rate_count, rate_ms, queue) ON lane TO woml_control;
GRANT SELECT, UPDATE (active, start_no, started_by, counted) ON lane TO woml_engine;
GRANT SELECT, INSERT, UPDATE (value, set_at), DELETE ON quota TO woml_control;
GRANT SELECT ON quota TO woml_engine;
GRANT SELECT, INSERT, UPDATE (amount) ON usage TO woml_control;
GRANT SELECT, INSERT, UPDATE (amount), DELETE ON usage TO woml_engine;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['lane', 'quota', 'usage'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY control_own ON %I TO woml_control USING (tenant = nullif(current_setting(''app.tenant'', true), '''')::uuid)', name);
    CONTINUE WHEN name = 'usage';
    EXECUTE format('CREATE POLICY control_admin ON %I TO woml_control USING (current_setting(''app.admin'', true) = ''on'')', name);
  END LOOP;
END $$;
CREATE POLICY engine_all ON lane TO woml_engine USING (true);
CREATE POLICY engine_all ON quota FOR SELECT TO woml_engine USING (true);
CREATE POLICY engine_all ON usage TO woml_engine USING (true);
