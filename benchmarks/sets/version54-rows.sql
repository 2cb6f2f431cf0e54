-- Rows of a database of version 54, for ./engine drill upgrade: a tenant with a bank of memories and a conversation.
INSERT INTO tenant (tenant_id, name, name_key, plan, created_at) VALUES (1000001, 'old', 'old', 'unlimited', now());
INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at) VALUES (1000001, 1000002, 'olga', 'olga', 'owner', now());
INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
SELECT 1000001, 1000003 + n, 'agent ' || n, 'agent ' || n, 'd', 'public', 1000002, now(), now() FROM generate_series(0, 1) n;
INSERT INTO bank (tenant_id, id, name, name_key, access, owner_id, created_at, updated_at)
VALUES (1000001, 1000010, 'notes', 'notes', 'bank', 1000002, now(), now());
INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from, created_at, updated_at)
SELECT 1000001, 1000010, gen_random_uuid(), 'memory ' || n, 'memory ' || n, repeat('some words of memory ' || n || ' ', 12), '{}', 1000003,
       '{1000003}', '{}', now(), now()
  FROM generate_series(1, {rows}) n;
INSERT INTO stream (tenant_id, id, low_id, high_id, last_seq, last_at) VALUES (1000001, 1000020, 1000003, 1000004, {rows}, now());
ALTER TABLE message DISABLE TRIGGER USER;
INSERT INTO message (tenant_id, stream_id, seq, id, speaker_id, content, chain, created_at)
SELECT 1000001, 1000020, n, gen_random_uuid(), 1000003 + n % 2, repeat('what was said in message ' || n || ' ', 8), '{}',
       now() - ({rows} - n) * interval '1 second'
  FROM generate_series(1, {rows}) n;
ALTER TABLE message ENABLE TRIGGER USER;
ANALYZE;
