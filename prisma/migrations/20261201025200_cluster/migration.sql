-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "revoked_at" BIGINT;

-- What follows is written by hand.

-- A service asks whether the database has its build's migrations: their names, and no more of Prisma's table.
GRANT SELECT (migration_name, finished_at, rolled_back_at) ON _prisma_migrations TO woml_control, woml_engine;

-- A revoked key keeps its row and loses its scopes, so that a control of the build before refuses it too, and nothing brings it back.
GRANT UPDATE (scopes, revoked_at) ON api_key TO woml_control;
CREATE POLICY control_admin ON api_key TO woml_control USING (current_setting('app.admin', true) = 'on');
