-- A page of tasks costs what the page is worth: whose tasks they are, what is to be claimed next, and which leases have ended.
DROP INDEX task_assignee;
CREATE INDEX task_assignee ON task (tenant_id, domain_id, assignee_id, state, created_at DESC, id DESC) WHERE assignee_id IS NOT NULL;
CREATE INDEX task_next ON task (tenant_id, domain_id, assignee_id, created_at, id) WHERE state = 'open' AND unmet = 0;
DROP INDEX task_lease;
CREATE INDEX task_lease ON task (lease_until, tenant_id, domain_id) WHERE holder_id IS NOT NULL;
