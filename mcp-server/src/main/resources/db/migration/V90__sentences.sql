-- A sentence for each table, and for each column whose name does not say what it holds. docs/schema.md shows them. The baseline of
-- new databases is the schema after this migration.

COMMENT ON TABLE tenant IS 'The tenants. Everything that belongs to one is deleted with it.';
COMMENT ON COLUMN tenant.plan IS 'The name of its plan; plan_limit has the limits.';
COMMENT ON TABLE app_user IS 'The users of a tenant. A removed one remains as a name on what it said; what it owned has another owner.';
COMMENT ON TABLE plan_limit IS 'The limits of each plan, written at every start. What a plan does not limit has no row.';
COMMENT ON COLUMN plan_limit.scope IS 'What is limited, such as agents.';
COMMENT ON TABLE usage IS 'What is counted for the plan: how many things there are, and how much was done on each day.';
COMMENT ON COLUMN usage.day IS 'The UTC day, for what is counted by the day; -infinity for the number of things that exist.';
COMMENT ON TABLE usage_delta IS 'Differences that are not added to usage yet. Each is a row of its own, so that no transaction waits for another.';
COMMENT ON TABLE quota_told IS 'When a tenant was last notified that it reached a threshold of a limit, or that something was refused.';
COMMENT ON COLUMN quota_told.what IS 'The threshold in percent, or rejected.';
COMMENT ON COLUMN quota_told.most IS 'The limit at that time; 0 for refusals.';
COMMENT ON COLUMN quota_told.at IS 'The start of the UTC day for a threshold, the moment for a refusal.';
COMMENT ON TABLE rate_spent IS 'The rate limit of each caller on all replicas together, as a bucket. Unlogged: after a crash all buckets are full.';
COMMENT ON COLUMN rate_spent.full_at IS 'When the bucket is full again, by the clock of the database.';
COMMENT ON TABLE data_home IS 'One row, by which replicas notice that a backup was restored.';
COMMENT ON COLUMN data_home.identity IS 'The identity of the database and of this table; empty until the first start.';
COMMENT ON COLUMN data_home.epoch IS 'When the data were last restored, in milliseconds since 1970; 0 if they never were.';

COMMENT ON TABLE agent IS 'The agents. A destroyed one remains as a name on its messages and memories.';
COMMENT ON COLUMN agent.access IS 'Who else may see it.';
COMMENT ON COLUMN agent.destroyed_at IS 'Since then it is visible nowhere else.';
COMMENT ON TABLE agent_revision IS 'The former revisions of agents, with the names and access of their time.';
COMMENT ON COLUMN agent_revision.editor_id IS 'Who replaced it: the agent that the caller was logged on as, otherwise the user.';
COMMENT ON TABLE roster IS 'The agents that each user has put on its list.';

COMMENT ON TABLE api_key IS 'The API keys. A key with a parent ends with it.';
COMMENT ON COLUMN api_key.agent_id IS 'The agent that the key acts as; null if it acts for its user.';
COMMENT ON COLUMN api_key.toolset IS 'The toolsets that it is limited to; null for no limit.';
COMMENT ON COLUMN api_key.confirm_destructive IS 'Whether commands that destroy something require a confirmation.';
COMMENT ON COLUMN api_key.ancestors IS 'The keys that it depends on, its parent last. It never has a capability that one of them lacks.';
COMMENT ON COLUMN api_key.previous_hash IS 'The hash of the secret from before the rotation, which works until previous_until.';
COMMENT ON COLUMN api_key.known_to_others IS 'Whether another user was shown its secret, or the secret of the key that created or rotated it.';
COMMENT ON TABLE key_seen IS 'When each key was last used, to the minute, and by which program. Apart from the key, because each change of a key clears caches.';
COMMENT ON COLUMN key_seen.previous_used_at IS 'When the secret from before the rotation was last used.';
COMMENT ON COLUMN key_seen.previous_client IS 'Which program used that secret: the one that still needs the new one.';
COMMENT ON TABLE key_usage IS 'How often each key called each tool on each day.';
COMMENT ON TABLE idempotency IS 'The responses to calls with an idempotency key, for their repetition.';
COMMENT ON COLUMN idempotency.principal IS 'The caller: its key, session or token.';
COMMENT ON COLUMN idempotency.answer IS 'The response; null while the call runs.';
COMMENT ON COLUMN idempotency.bytes IS 'The length of the response. Only those longer than 4,096 are counted.';

COMMENT ON TABLE browser_session IS 'The browsers that are signed in.';
COMMENT ON COLUMN browser_session.key_id IS 'The key that started it. The session has the capabilities of the key, and ends with it.';
COMMENT ON COLUMN browser_session.key_hash IS 'The hash of the key''s secret that started it. The session works as long as that secret does.';
COMMENT ON COLUMN browser_session.last_seen_at IS 'To the minute.';
COMMENT ON TABLE sign_in IS 'Sign-ins that were started at a provider. The browser has the secret; its return deletes the row.';
COMMENT ON COLUMN sign_in.surface IS 'Which page the sign-in is for.';
COMMENT ON TABLE external_identity IS 'Who a user is at a provider. The identity of a removed user remains, so that a sign-in does not create the user again.';
COMMENT ON COLUMN external_identity.email IS 'The address that the provider last reported as verified, with ASCII letters in lower case. It finds users, but never proves who a caller is.';
COMMENT ON COLUMN external_identity.email_at IS 'When the provider reported it; an older token does not change it. Infinity once the user is removed.';
COMMENT ON TABLE token_grant IS 'What the newest access token of a caller allows, for work that continues after its request.';
COMMENT ON TABLE signing_key IS 'The keys that sign access tokens. The newest one signs; the two newest are accepted and published.';
COMMENT ON COLUMN signing_key.private_key IS 'Encrypted with the master key.';
COMMENT ON TABLE seal_key IS 'The keys that sign session ids and request states. The newest one signs; the two newest are accepted.';
COMMENT ON TABLE vault_check IS 'A known text, encrypted with the master key. A replica that cannot decrypt it has another key.';

COMMENT ON TABLE stream IS 'The conversations: the messages of a zone, or of two parties that talk directly, in order.';
COMMENT ON COLUMN stream.low_id IS 'The party with the lower id; null in a zone.';
COMMENT ON COLUMN stream.high_id IS 'The other party; null in a zone.';
COMMENT ON COLUMN stream.agents_said IS 'In a zone: how many messages agents sent since a person last did, or since 15 minutes of silence. One agent alone counts for 15 at most.';
COMMENT ON COLUMN stream.voices IS 'In a zone: the agents that sent these messages.';
COMMENT ON COLUMN stream.person_at IS 'In a zone: when a person last sent a message.';
COMMENT ON TABLE message IS 'The messages. Those of a conversation are deleted with it.';
COMMENT ON COLUMN message.seq IS 'Without gaps in its conversation, in the order of commits.';
COMMENT ON COLUMN message.speaker_id IS 'The user or agent that sent it.';
COMMENT ON COLUMN message.answers IS 'The message that it answers.';
COMMENT ON COLUMN message.chain IS 'The agents whose messages this one answers, oldest first: for the loop guard.';
COMMENT ON TABLE participant IS 'How far each party has read each conversation. Unread messages follow from these numbers without counting.';
COMMENT ON COLUMN participant.party_id IS 'The user or the agent.';
COMMENT ON COLUMN participant.owner_id IS 'The user behind the party: the user itself, or the owner of the agent.';
COMMENT ON COLUMN participant.own_unread IS 'The party''s own messages after read_seq, up to last_seq where that is not null. They do not count as unread.';
COMMENT ON COLUMN participant.last_seq IS 'Where two parties talk directly: the last message of the other one when it was stored. Null in a zone, where each message would change the rows of all.';
COMMENT ON TABLE agent_talk IS 'The direct messages that an agent sends to agents: for the loop guard. Only calls of the agent itself write its row.';
COMMENT ON COLUMN agent_talk.said IS 'How many it sent since a person last sent one.';
COMMENT ON COLUMN agent_talk.partners IS 'The agents that it sent them to.';
COMMENT ON COLUMN agent_talk.person_at IS 'When that person did. A later time starts the count again.';
COMMENT ON TABLE agent_heard IS 'When an agent was last sent something: for the loop guard. The senders write it.';
COMMENT ON COLUMN agent_heard.person_at IS 'When a person last sent a message to the agent, or to an agent whose message reached it since.';
COMMENT ON COLUMN agent_heard.agent_at IS 'When an agent last sent it a direct message, to the minute.';
COMMENT ON TABLE context IS 'What each caller has selected, under each name of a context.';
COMMENT ON COLUMN context.principal IS 'The caller: its key, session or token.';
COMMENT ON COLUMN context.self_id IS 'The agent that the caller is logged on as.';
COMMENT ON COLUMN context.agent_id IS 'The selected agent.';

COMMENT ON TABLE domain IS 'The domains.';
COMMENT ON COLUMN domain.access IS 'Who else may see it.';
COMMENT ON COLUMN domain.host_id IS 'The agent that receives visitors.';
COMMENT ON TABLE membership IS 'The agents that are members of a domain, are invited, ask to join or are banned.';
COMMENT ON COLUMN membership.owner_id IS 'The owner of the agent, who sees what its agents are members of.';
COMMENT ON TABLE zone IS 'The zones of a domain. Each has a conversation.';

COMMENT ON TABLE bank IS 'The memory banks.';
COMMENT ON COLUMN bank.access IS 'Who else may see it.';
COMMENT ON COLUMN bank.deleted_at IS 'Since when it is in the trash. It is purged after 30 days.';
COMMENT ON TABLE bank_grant IS 'The permission of an agent on a bank.';
COMMENT ON COLUMN bank_grant.owner_id IS 'The owner of the agent, who may use the bank through it.';
COMMENT ON TABLE bank_load IS 'The banks that an agent has loaded as working memory.';
COMMENT ON TABLE bank_censor IS 'The agents that are censored in a bank: what they contributed to is hidden.';
COMMENT ON TABLE memory IS 'The memories, each in its newest revision.';
COMMENT ON COLUMN memory.contributors IS 'Who wrote a part of it: its author, its editors, and those of what it was derived from. Censoring one of them hides it.';
COMMENT ON COLUMN memory.editor_id IS 'Who stored this revision, if that is not the author.';
COMMENT ON COLUMN memory.source IS 'The document that this revision comes from: kind, name, version, position. Null if it comes from its editor.';
COMMENT ON COLUMN memory.reason IS 'Why it supersedes the other one.';
COMMENT ON COLUMN memory.superseded_by IS 'It is hidden only from readers who see that one, so a false correction that is censored leaves no trace.';
COMMENT ON COLUMN memory.change IS 'The transaction that last changed it: the search reads what changed since its last transaction.';
COMMENT ON TABLE memory_revision IS 'The former revisions of memories.';
COMMENT ON TABLE memory_vector IS 'The vectors by which memories of similar meaning are found. A row without vectors waits for them.';
COMMENT ON COLUMN memory_vector.vectors IS 'One for each part of the text: a scale and a byte for each dimension. Empty where none could be computed.';
COMMENT ON COLUMN memory_vector.change IS 'The transaction that stored the vectors, as in memory.change.';
COMMENT ON TABLE memory_gone IS 'Memories that changed for the search without a change of their own row: deleted for good, or superseded by one that changed.';
COMMENT ON TABLE bank_search IS 'When each bank was last searched, to about an hour: a new replica builds the indexes of these banks in advance.';

COMMENT ON TABLE document_upload IS 'A file that is arriving, or belongs to a document.';
COMMENT ON TABLE document_chunk IS 'The bytes of a file, stored as they arrive.';
COMMENT ON TABLE document IS 'The versions of documents, and the queue in which they are validated.';
COMMENT ON COLUMN document.reasons IS 'Why it was rejected.';
COMMENT ON COLUMN document.characters IS 'The length of its text.';
COMMENT ON COLUMN document.claim IS 'Identifies the worker that validates it. Only the newest one may store a result.';
COMMENT ON COLUMN document.lease_until IS 'Until then the worker need not report, by the clock of the database.';
COMMENT ON COLUMN document.begun_at IS 'When its validation last began: tenants take turns by it.';
COMMENT ON COLUMN document.declared_charset IS 'The encoding that it was sent with.';
COMMENT ON TABLE document_part IS 'The text of an accepted document, in parts of about the same length.';
COMMENT ON COLUMN document_part.blocks IS 'Its headings, paragraphs and tables, in JSON.';
COMMENT ON TABLE document_version IS 'The last version number of each name. No number is used twice, even when its version was deleted.';
COMMENT ON TABLE document_memory IS 'Which memories a document was loaded as. A bank has one version of it.';
COMMENT ON COLUMN document_memory.n IS 'The position of the piece in the document.';
COMMENT ON COLUMN document_memory.digest IS 'The SHA-256 of the piece. A piece that is the same in another version keeps its memory.';

COMMENT ON TABLE event IS 'The events, each written in the transaction that it reports.';
COMMENT ON COLUMN event.data IS 'As json, not jsonb: a test arrives as the customer wrote it.';
COMMENT ON COLUMN event.ordinal IS 'The order of writing, with gaps.';
COMMENT ON COLUMN event.seq IS 'Its place in the feed of the tenant, without gaps. It is assigned after the transaction.';
COMMENT ON COLUMN event.directed IS 'Whether it is a test, which is in no feed and is sent to one endpoint.';
COMMENT ON COLUMN event.not_to IS 'The endpoint that it is not sent to, because it reports that this endpoint fails.';
COMMENT ON TABLE event_feed IS 'The feed of each tenant. Its row is the lock under which places are assigned.';
COMMENT ON COLUMN event_feed.cleared_seq IS 'The last place that was removed from the feed. Events up to it may remain for their deliveries.';
COMMENT ON TABLE webhook_endpoint IS 'The webhook endpoints, and how well they work.';
COMMENT ON COLUMN webhook_endpoint.secret IS 'Encrypted with the master key.';
COMMENT ON COLUMN webhook_endpoint.preflight IS 'The result of the last check of its address.';
COMMENT ON COLUMN webhook_endpoint.last_sequence IS 'The number of the last delivery that was queued for it.';
COMMENT ON COLUMN webhook_endpoint.failing_since IS 'When the first attempt since the last success failed.';
COMMENT ON COLUMN webhook_endpoint.warned IS 'How far it was on the way to being disabled, in percent, when its tenant was last warned.';
COMMENT ON COLUMN webhook_endpoint.openings IS 'How often the circuit has opened since the last success.';
COMMENT ON COLUMN webhook_endpoint.open_until IS 'Until then the circuit is open, and nothing is attempted.';
COMMENT ON COLUMN webhook_endpoint.missed_after IS 'The last place of the feed when it was last disabled. Later events were not queued for it.';
COMMENT ON COLUMN webhook_endpoint.missed_until IS 'The last place of the feed when it was enabled again; null while it is disabled.';
COMMENT ON TABLE webhook_delivery IS 'The deliveries of events to endpoints.';
COMMENT ON COLUMN webhook_delivery.sequence IS 'Counts the deliveries of its endpoint.';
COMMENT ON COLUMN webhook_delivery.attempts IS 'In their order: {at, duration_ms, status, error}.';
COMMENT ON COLUMN webhook_delivery.due_at IS 'When it is attempted next; while it is being delivered, when its lease ends; null when nothing follows.';
COMMENT ON COLUMN webhook_delivery.holder IS 'Identifies the sender that has the lease.';
COMMENT ON TABLE webhook_health IS 'The attempts at each endpoint in each hour: how many, and how long they took.';
COMMENT ON COLUMN webhook_health.durations IS 'A histogram, whose classes are in the code.';

COMMENT ON TABLE mcp_session IS 'What changed about a session of MCP since its start. Everything else is in its signed id.';
COMMENT ON TABLE mcp_subscription IS 'The resources that a session of MCP has subscribed to.';
COMMENT ON TABLE mcp_task IS 'Calls of long tools, which continue when their request or their replica ends.';
COMMENT ON COLUMN mcp_task.server IS 'The name of the server that has the tool. Other servers leave the task alone.';
COMMENT ON COLUMN mcp_task.principal IS 'The caller: its key, session or token.';
COMMENT ON COLUMN mcp_task.memory IS 'JSON: the questions, the answers, and what the tool stores between them.';
COMMENT ON COLUMN mcp_task.attempt IS 'Counts the claims. Only the newest one may write.';
COMMENT ON COLUMN mcp_task.tries IS 'How many replicas in a row ended while they worked at it.';
COMMENT ON COLUMN mcp_task.leased_until IS 'Until then it belongs to the replica that claimed it last, by the clock of the database.';
COMMENT ON TABLE handshake IS 'How clients of MCP connected: the latest few of each key or user.';
COMMENT ON COLUMN handshake.place IS 'Of two at the same moment, the later one has the higher number.';
COMMENT ON COLUMN handshake.holder IS 'key:<id>, or user:<id> for a caller without a key.';
COMMENT ON COLUMN handshake.proven IS 'Whether the whole key was sent. If only its id was, anybody may have sent it.';
COMMENT ON COLUMN handshake.source IS 'The same for all requests of one client: its name, and the way it connects.';
COMMENT ON COLUMN handshake.era IS 'The generation of the protocol.';
COMMENT ON COLUMN handshake.flaw IS 'What was wrong; null if nothing was.';
COMMENT ON TABLE demo IS 'The demo of a tenant. Any replica can take its next step.';
COMMENT ON COLUMN demo.last IS 'The last message, which the next one may answer.';
COMMENT ON COLUMN demo.keys IS 'The keys of its agents, encrypted with the master key.';

COMMENT ON TABLE audit IS 'Who did what to which thing, from where, with what result. Without foreign keys: entries outlive what they describe.';
COMMENT ON COLUMN audit.user_key IS 'The user''s name, as names are compared.';
COMMENT ON COLUMN audit.acting_for IS 'The user that an admin acted for.';
COMMENT ON COLUMN audit.credential IS 'What the caller authenticated with.';
COMMENT ON COLUMN audit.target_key IS 'What the target is found by: its id, or its name as names are compared; for a document always its name.';
COMMENT ON COLUMN audit.door IS 'The endpoint: MCP, REST or the console.';
COMMENT ON COLUMN audit.times IS 'How many refusals the entry stands for; null if it describes one call.';
COMMENT ON COLUMN audit.rules IS 'The rules that matched the call.';
COMMENT ON COLUMN audit.before IS 'The text of a changed rule before the change.';
COMMENT ON COLUMN audit.after IS 'Its text after the change.';
COMMENT ON COLUMN audit.details IS 'What else the call did, such as with the memories of a deleted document.';
COMMENT ON COLUMN audit.dry_run IS 'Whether the call only showed what it would change; null if it changed it.';
COMMENT ON TABLE rule IS 'The rules of a tenant: what is refused or noted in the audit.';
COMMENT ON COLUMN rule.expression IS 'In CEL; for a template, with its parameters.';
COMMENT ON COLUMN rule.counted_since IS 'When its effect was last changed. matched and failed count from then on.';
COMMENT ON TABLE skill IS 'The skills of a tenant. Those that the engine ships have no row.';
COMMENT ON COLUMN skill.card IS 'What lists show: the front matter, and the files with their digests. As json, which preserves the order of fields.';
COMMENT ON COLUMN skill.size IS 'The bytes of all its files.';
COMMENT ON TABLE skill_file IS 'The files of a skill.';
COMMENT ON TABLE skill_install IS 'The skills of each agent.';

-- PostgreSQL expects that each tenant has about as many rows as another. Here it learns to expect a third of each table in one tenant.
-- Names that PostgreSQL derived from the former name of a table become those that it derives from the present one.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT c.oid::regclass AS name
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
         WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN tenant_id SET (n_distinct = 3)', one.name);
    END LOOP;
    FOR one IN
        SELECT c.oid::regclass AS name, k.conname AS former, c.relname || '_' || a.attname || '_not_null' AS present
          FROM pg_constraint k
          JOIN pg_class c ON c.oid = k.conrelid
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
         WHERE k.contype = 'n' AND c.relnamespace = current_schema()::regnamespace
           AND NOT starts_with(k.conname, c.relname || '_' || a.attname || '_not_null')
    LOOP
        EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', one.name, one.former, one.present);
    END LOOP;
END $$;

COMMENT ON TABLE invitation IS 'Invitations: each lets one program join as an agent, once. One that was used or withdrawn is deleted.';
COMMENT ON COLUMN invitation.user_id IS 'The user that invites.';
COMMENT ON TABLE wake IS 'Who receives new messages at once, and how. An entry ends by itself when its replica or session does.';
COMMENT ON TABLE hook_session IS 'The sessions of coding agents that call hooks or follow their messages, and what was announced to each.';
COMMENT ON COLUMN agent.guard_hops IS 'How many direct messages of agents may answer each other in a row.';
COMMENT ON COLUMN agent.guard_per_minute IS 'The limit of direct messages; the other limits are multiples of it.';
COMMENT ON COLUMN message.person IS 'Whether a signed-in person wrote it, and not a program with the key of a user.';
