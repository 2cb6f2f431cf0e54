-- What was loaded from a document is found by it before it is deleted.
CREATE INDEX document_memory_document ON document_memory (tenant_id, document_id);
