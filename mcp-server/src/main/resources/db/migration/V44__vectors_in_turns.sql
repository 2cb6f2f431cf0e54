-- Tenants take turns when memories get their vectors, so what waits is found by tenant.
DROP INDEX memory_vector_waiting;
CREATE INDEX memory_vector_waiting ON memory_vector (tenant_id, queued_at) WHERE vectors IS NULL;
