-- Runs that nobody has admitted yet, or ever will, are called so everywhere.
ALTER INDEX request_unborn RENAME TO request_unadmitted;
