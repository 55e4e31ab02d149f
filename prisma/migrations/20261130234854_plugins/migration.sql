-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "on_ambiguous" TEXT;

-- CreateTable
CREATE TABLE "secret" (
    "tenant" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "secret_pkey" PRIMARY KEY ("tenant","name")
);

-- CreateTable
CREATE TABLE "plugin_release" (
    "digest" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "manifest" TEXT NOT NULL,
    "manifest_digest" TEXT NOT NULL,
    "artefact_digest" TEXT NOT NULL,
    "artefact" BYTEA NOT NULL,
    "submitted_by" TEXT NOT NULL,
    "submitter" UUID NOT NULL,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "plugin_release_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "plugin_approval" (
    "release" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "artefact_digest" TEXT NOT NULL,
    "manifest_digest" TEXT NOT NULL,
    "reviewer" TEXT NOT NULL,
    "at" BIGINT NOT NULL,

    CONSTRAINT "plugin_approval_pkey" PRIMARY KEY ("release")
);

-- CreateTable
CREATE TABLE "plugin_revocation" (
    "release" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "plugin_revocation_pkey" PRIMARY KEY ("release")
);

-- CreateTable
CREATE TABLE "plugin_grant" (
    "tenant" UUID NOT NULL,
    "capability" TEXT NOT NULL,
    "granted_by" TEXT NOT NULL,
    "at" BIGINT NOT NULL,

    CONSTRAINT "plugin_grant_pkey" PRIMARY KEY ("tenant","capability")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "tenant" UUID NOT NULL,
    "id" UUID NOT NULL,
    "at" BIGINT NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "detail" JSON NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("tenant","id")
);

-- CreateIndex
CREATE INDEX "plugin_release_capability_version_idx" ON "plugin_release"("capability", "version");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_release_submitter_capability_version_key" ON "plugin_release"("submitter", "capability", "version");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_approval_capability_version_key" ON "plugin_approval"("capability", "version");

-- CreateIndex
CREATE INDEX "audit_entry_id_idx" ON "audit_entry"("id");
