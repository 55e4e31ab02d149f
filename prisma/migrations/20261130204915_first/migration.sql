-- CreateTable
CREATE TABLE "tenant" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "tenant" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" BIGINT NOT NULL,
    "used_at" BIGINT,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("tenant","id")
);

-- CreateTable
CREATE TABLE "workflow" (
    "tenant" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "active" TEXT,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("tenant","id")
);

-- CreateTable
CREATE TABLE "definition_version" (
    "tenant" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "schema_version" INTEGER NOT NULL,
    "definition" JSON NOT NULL,
    "source" JSON,
    "source_map" JSON,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "definition_version_pkey" PRIMARY KEY ("tenant","hash")
);

-- CreateTable
CREATE TABLE "request" (
    "tenant" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "key" TEXT,
    "digest" TEXT NOT NULL,
    "run" UUID NOT NULL,
    "body" JSON NOT NULL,
    "created_at" BIGINT NOT NULL,
    "consumed_at" BIGINT,
    "answer" TEXT,

    CONSTRAINT "request_pkey" PRIMARY KEY ("tenant","id")
);

-- CreateTable
CREATE TABLE "run" (
    "tenant" UUID NOT NULL,
    "id" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "labels" TEXT[],
    "status" TEXT NOT NULL,
    "head" INTEGER NOT NULL DEFAULT 0,
    "at" BIGINT NOT NULL,
    "owner" UUID,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "next_due" BIGINT,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" BIGINT,
    "needs" INTEGER NOT NULL DEFAULT 1,
    "held" TEXT,
    "held_at" BIGINT,
    "waiting_for" JSON,

    CONSTRAINT "run_pkey" PRIMARY KEY ("tenant","id")
);

-- CreateTable
CREATE TABLE "run_event" (
    "tenant" UUID NOT NULL,
    "run" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "shape" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "iteration" INTEGER,
    "append" UUID NOT NULL,
    "data" JSON NOT NULL,

    CONSTRAINT "run_event_pkey" PRIMARY KEY ("tenant","run","seq")
);

-- CreateTable
CREATE TABLE "timer" (
    "tenant" UUID NOT NULL,
    "run" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "due_at" BIGINT NOT NULL,

    CONSTRAINT "timer_pkey" PRIMARY KEY ("tenant","run","subject","kind")
);

-- CreateTable
CREATE TABLE "engine" (
    "id" UUID NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "fenced_at" BIGINT,
    "reads" INTEGER NOT NULL,

    CONSTRAINT "engine_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tenant_name_key" ON "tenant"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_id_key" ON "api_key"("id");

-- CreateIndex
CREATE INDEX "definition_version_tenant_workflow_created_at_hash_idx" ON "definition_version"("tenant", "workflow", "created_at", "hash");

-- CreateIndex
CREATE INDEX "request_tenant_run_idx" ON "request"("tenant", "run");

-- CreateIndex
CREATE UNIQUE INDEX "request_tenant_scope_key_key" ON "request"("tenant", "scope", "key");
