-- CreateTable
CREATE TABLE "state" (
    "tenant" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSON NOT NULL,
    "version" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "state_pkey" PRIMARY KEY ("tenant","workflow","key")
);

-- CreateTable
CREATE TABLE "state_total" (
    "tenant" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "keys" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "floor" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "state_total_pkey" PRIMARY KEY ("tenant","workflow")
);

-- What follows is written by hand.

-- What scripts keep for their workflow: the engine's alone, and only by the append. Its scopes lead with the tenant like all others.
GRANT SELECT, INSERT, UPDATE (value, version, bytes, updated_at), DELETE ON state TO woml_engine;
GRANT SELECT, INSERT, UPDATE (keys, bytes, floor) ON state_total TO woml_engine;
ALTER TABLE state ENABLE ROW LEVEL SECURITY;
ALTER TABLE state FORCE ROW LEVEL SECURITY;
ALTER TABLE state_total ENABLE ROW LEVEL SECURITY;
ALTER TABLE state_total FORCE ROW LEVEL SECURITY;
CREATE POLICY engine_all ON state TO woml_engine USING (true);
CREATE POLICY engine_all ON state_total TO woml_engine USING (true);
ALTER TABLE state ADD CONSTRAINT state_size CHECK (octet_length(key) BETWEEN 1 AND 256 AND bytes >= 0 AND version >= 1);
ALTER TABLE state_total ADD CONSTRAINT state_total_size CHECK (keys >= 0 AND bytes >= 0 AND floor >= 0);
ALTER TABLE state SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE state_total SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- A script starts and calls workflows: the engine asks for their runs, of what is active, and tells a run that waits for one.
GRANT INSERT ON request TO woml_engine;
GRANT SELECT ON workflow TO woml_engine;
CREATE POLICY engine_all ON workflow FOR SELECT TO woml_engine USING (true);
