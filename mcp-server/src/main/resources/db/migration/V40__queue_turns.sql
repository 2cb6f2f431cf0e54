-- Each tenant's last document that was taken from the queue: the tenants take turns.
CREATE INDEX document_begun ON document (tenant_id, begun_at);
