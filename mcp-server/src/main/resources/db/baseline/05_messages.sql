-- Conversations, their messages, who has read how far, and who hears of new ones.

CREATE TABLE conversation (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    low_id      bigint,
    high_id     bigint,
    last_seq    bigint      NOT NULL DEFAULT 0,
    last_at     timestamptz,
    agents_said bigint      NOT NULL DEFAULT 0,
    voices      bigint[]    NOT NULL DEFAULT '{}',
    person_at   timestamptz,
    counted_at  timestamptz,
    progress_at timestamptz,
    announced   bigint,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, low_id, high_id),
    CHECK ((low_id IS NULL) = (high_id IS NULL) AND low_id < high_id)
);
COMMENT ON TABLE conversation IS 'The conversations: the messages of a zone, or of two parties that talk directly, in order.';
COMMENT ON COLUMN conversation.low_id IS 'The party with the lower id; null in a zone.';
COMMENT ON COLUMN conversation.high_id IS 'The other party; null in a zone.';
COMMENT ON COLUMN conversation.agents_said IS 'In a zone: how many messages agents sent since a person last did, or since 15 minutes of silence. One agent alone counts for 15 at most.';
COMMENT ON COLUMN conversation.voices IS 'In a zone: the agents that sent these messages.';
COMMENT ON COLUMN conversation.person_at IS 'In a zone: when a person last sent a message.';
COMMENT ON COLUMN conversation.counted_at IS 'In a zone: since when agents_said counts.';
COMMENT ON COLUMN conversation.progress_at IS 'In the zone main: when a task of the domain last changed its state.';
COMMENT ON COLUMN conversation.announced IS 'The number of the last announcement: what follows within ten seconds is added to it.';

-- Deletes the messages of a conversation with it. There is no foreign key: whoever stores a message has locked its
-- conversation, so it exists, and whoever deletes a conversation waits for the message.
CREATE FUNCTION conversation_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM message m WHERE m.tenant_id = OLD.tenant_id AND m.conversation_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER went AFTER DELETE ON conversation FOR EACH ROW EXECUTE FUNCTION conversation_went();
COMMENT ON TRIGGER went ON conversation IS 'The messages of a conversation go with it, whatever deletes it.';

CREATE TABLE message (
    tenant_id    bigint      NOT NULL,
    conversation_id    bigint      NOT NULL,
    seq          bigint      NOT NULL,
    id           uuid        NOT NULL,
    speaker_id   bigint      NOT NULL,
    content      text        NOT NULL,
    answers      uuid,
    chain        bigint[]    NOT NULL,
    created_at   timestamptz NOT NULL,
    delivered_at timestamptz,
    read_at      timestamptz,
    person       boolean     NOT NULL DEFAULT false,
    by_key       text,
    attached     uuid[],
    notice       boolean     NOT NULL DEFAULT false,
    changes      integer,
    PRIMARY KEY (tenant_id, conversation_id, seq)
);
COMMENT ON TABLE message IS 'The messages. Those of a conversation are deleted with it.';
COMMENT ON COLUMN message.seq IS 'Without gaps in its conversation, in the order of commits.';
COMMENT ON COLUMN message.speaker_id IS 'The user or agent that sent it.';
COMMENT ON COLUMN message.answers IS 'The message that it answers.';
COMMENT ON COLUMN message.chain IS 'The agents whose messages this one answers, oldest first: for the loop guard.';
COMMENT ON COLUMN message.delivered_at IS 'When a direct message was given to a session of its recipient.';
COMMENT ON COLUMN message.read_at IS 'When the whole text of a direct message was returned to its recipient.';
COMMENT ON COLUMN message.person IS 'Whether a signed-in person wrote it, and not a program with the key of a user.';
COMMENT ON COLUMN message.by_key IS 'The name of the key by which a program wrote it for a user.';
COMMENT ON COLUMN message.attached IS 'The versions of documents that are attached; null if there are none.';
COMMENT ON COLUMN message.notice IS 'Whether the engine wrote it, to tell what the speaker did. In a zone it wakes nobody.';
COMMENT ON COLUMN message.changes IS 'How many changes it announces; null if it is no announcement. Announcements do not count as unread.';
CREATE UNIQUE INDEX message_id ON message (tenant_id, id);
CREATE INDEX message_answers ON message (tenant_id, answers, seq) WHERE answers IS NOT NULL;

CREATE FUNCTION message_words(said text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF octet_length(said) = char_length(said) THEN
        RETURN btrim(regexp_replace(lower(said), '[^a-z0-9]+', ' ', 'g'));
    END IF;
    RETURN btrim(regexp_replace(regexp_replace(
        replace(replace(replace(translate(lower(normalize(regexp_replace(normalize(said, NFKD),
            '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u0640\u064b-\u065f\u0670\ufe00-\ufe0f]+', '', 'g'), NFKC)),
            'ςøłđħŧı', 'σoldhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
        '([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\u2bff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf'
            || '\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff])', ' \1 ', 'g'),
        '[\u0001-/:-@\[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf'
            || '\u2e00-\u2e7f\u3000-\u3004\u3008-\u303f\ufeff\uff5b-\uff65]+', ' ', 'g'));
END $$;
COMMENT ON FUNCTION message_words IS 'The words of a text, folded, with a space between each two: without case, accents and punctuation. Characters of scripts without spaces are words of their own.';

CREATE FUNCTION message_terms(tenant bigint, place bigint, speaker bigint, said text)
    RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    words text := message_words(said);
BEGIN
    IF char_length(words) > 255 THEN
        words := regexp_replace(words, '([^ ]{255})[^ ]+', '\1', 'g');
    END IF;
    RETURN array_to_tsvector(array_remove(string_to_array(
        tenant || '#' || place || replace(' @' || speaker || ' ' || words, ' ', ' ' || tenant || '.'), ' '), tenant || '.'));
END $$;
COMMENT ON FUNCTION message_terms IS 'By what a message is found: its words, its conversation and its sender, each with the tenant.';

-- The newest messages wait in its list, in kB, which a search reads as well: so a message writes one entry and not one for each word.
CREATE INDEX message_term ON message USING gin (message_terms(tenant_id, conversation_id, speaker_id, content))
    WITH (gin_pending_list_limit = 256);
CREATE INDEX message_place ON message (tenant_id, conversation_id, created_at, seq);
CREATE INDEX message_speaker ON message (tenant_id, speaker_id, created_at, conversation_id, seq);

CREATE TABLE participant (
    tenant_id  bigint NOT NULL,
    party_id   bigint NOT NULL,
    conversation_id  bigint NOT NULL,
    owner_id   bigint NOT NULL,
    read_seq   bigint NOT NULL,
    own_unread bigint NOT NULL DEFAULT 0,
    last_seq   bigint,
    announced  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, party_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation ON DELETE CASCADE
);
COMMENT ON TABLE participant IS 'How far each party has read each conversation. Unread messages follow from these numbers without counting.';
COMMENT ON COLUMN participant.party_id IS 'The user or the agent.';
COMMENT ON COLUMN participant.owner_id IS 'The user behind the party: the user itself, or the owner of the agent.';
COMMENT ON COLUMN participant.own_unread IS 'The party''s own messages after read_seq, up to last_seq where that is not null; in a zone, announcements too. They do not count as unread.';
COMMENT ON COLUMN participant.last_seq IS 'Where two parties talk directly: the last message of the other one when it was stored. Null in a zone, where each message would change the rows of all.';
COMMENT ON COLUMN participant.announced IS 'Where two parties talk directly: the announcements to the party after read_seq. They wait for it, but do not count as unread.';
CREATE INDEX participant_conversation ON participant (tenant_id, conversation_id, owner_id);
CREATE INDEX participant_unread ON participant (tenant_id, party_id, conversation_id) INCLUDE (last_seq, read_seq, own_unread, announced)
    WHERE last_seq IS NULL OR last_seq > (read_seq + own_unread);

CREATE TABLE guard_sent (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    said      bigint      NOT NULL,
    partners  bigint[]    NOT NULL,
    person_at timestamptz,
    said_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE guard_sent IS 'The direct messages that an agent sends to agents: for the loop guard. Only calls of the agent itself write its row.';
COMMENT ON COLUMN guard_sent.said IS 'How many it sent since a person last sent one.';
COMMENT ON COLUMN guard_sent.partners IS 'The agents that it sent them to.';
COMMENT ON COLUMN guard_sent.person_at IS 'When that person did. A later time starts the count again.';

CREATE TABLE guard_received (
    tenant_id   bigint      NOT NULL,
    agent_id    bigint      NOT NULL,
    person_at   timestamptz,
    agent_at    timestamptz,
    progress_at timestamptz,
    left_at     timestamptz,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE guard_received IS 'When an agent was last sent something: for the loop guard. The senders write it.';
COMMENT ON COLUMN guard_received.person_at IS 'When a person last sent a message to the agent, or to an agent whose message reached it since.';
COMMENT ON COLUMN guard_received.agent_at IS 'When an agent last sent it a direct message, to the minute.';
COMMENT ON COLUMN guard_received.left_at IS 'When its last session ended.';
COMMENT ON COLUMN guard_received.progress_at IS 'When a task that the agent created, has or had last changed its state.';

CREATE TABLE guard_stop (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    place_id  bigint      NOT NULL,
    is_zone   boolean     NOT NULL,
    seq       bigint      NOT NULL,
    note      text        NOT NULL,
    retry_at  timestamptz NOT NULL,
    at        timestamptz NOT NULL,
    incident  bigint      NOT NULL DEFAULT nextval('entity_id'),
    refused   bigint      NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, agent_id, place_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE guard_stop IS 'The last refusal of the loop guard for each agent, in each place where it was stopped.';
COMMENT ON COLUMN guard_stop.place_id IS 'The conversation of a zone, or the party that the agent wrote to.';
COMMENT ON COLUMN guard_stop.seq IS 'The number that the message would have had in its conversation.';
COMMENT ON COLUMN guard_stop.incident IS 'The same number for stops in one zone, and for stops of agents that talk with each other.';
COMMENT ON COLUMN guard_stop.refused IS 'How many messages were refused.';
CREATE INDEX guard_stop_age ON guard_stop (at);

CREATE TABLE context (
    tenant_id bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    principal text        NOT NULL,
    name      text        NOT NULL,
    self_id   bigint,
    agent_id  bigint,
    domain_id bigint,
    zone_id   bigint,
    used_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal, name)
);
COMMENT ON TABLE context IS 'What each caller has selected, under each name of a context.';
COMMENT ON COLUMN context.principal IS 'The caller: its key, session or token.';
COMMENT ON COLUMN context.self_id IS 'The agent that the caller is logged on as.';
COMMENT ON COLUMN context.agent_id IS 'The selected agent.';
CREATE INDEX context_age ON context (used_at);
CREATE INDEX context_self ON context (tenant_id, self_id) WHERE self_id IS NOT NULL;

CREATE TABLE wake (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    party_id   bigint      NOT NULL,
    kind       text        NOT NULL CHECK (kind IN ('wait', 'stream')),
    holder     text        NOT NULL,
    until      timestamptz NOT NULL,
    from_agent text        COLLATE "C",
    in_domain  text        COLLATE "C",
    in_zone    text        COLLATE "C",
    answers    uuid,
    beside     uuid,
    PRIMARY KEY (tenant_id, party_id, kind, holder)
);
COMMENT ON TABLE wake IS 'Who receives new messages at once, and how. An entry ends by itself when its replica or session does.';
COMMENT ON COLUMN wake.party_id IS 'The agent, or the user, that is woken.';
COMMENT ON COLUMN wake.holder IS 'One waiting call, or one open stream.';
COMMENT ON COLUMN wake.from_agent IS 'Only direct messages from the agent with this name; each further column narrows in the same way.';
COMMENT ON COLUMN wake.beside IS 'Only messages where this one is.';
CREATE INDEX wake_age ON wake (until);

CREATE TABLE hook_session (
    tenant_id   bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    agent_id    bigint      NOT NULL,
    session     text        COLLATE "C" NOT NULL,
    client      text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('idle', 'busy')),
    announced   jsonb       NOT NULL DEFAULT '{}',
    line        bigint      NOT NULL DEFAULT 0,
    seen_at     timestamptz NOT NULL,
    listener    bigint      NOT NULL DEFAULT 0,
    unconfirmed jsonb       NOT NULL DEFAULT '{}',
    connected   boolean,
    PRIMARY KEY (tenant_id, agent_id, session)
);
COMMENT ON TABLE hook_session IS 'The sessions of coding agents that call hooks or follow their messages, and what was announced to each.';
COMMENT ON COLUMN hook_session.announced IS 'Up to which message of each conversation the session was told that messages wait, for conversations with unread messages.';
COMMENT ON COLUMN hook_session.line IS 'The number of the last wake-up that its listener was sent.';
COMMENT ON COLUMN hook_session.listener IS 'The number of its newest listener: the others are told nothing more.';
COMMENT ON COLUMN hook_session.unconfirmed IS 'What each of the last wake-ups changed in announced, in case its listener did not get it.';
COMMENT ON COLUMN hook_session.connected IS 'Whether its client is connected to the tools: true if it has used them, false if it started while the engine was down, null if nothing is known.';
CREATE INDEX hook_session_age ON hook_session (seen_at);

CREATE TABLE question (
    tenant_id    bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id           uuid        NOT NULL,
    asker_id     bigint      NOT NULL,
    choices      text[]      NOT NULL DEFAULT '{}',
    expires_at   timestamptz,
    answer       text,
    answered_by  bigint,
    answered_at  timestamptz,
    withdrawn_at timestamptz,
    created_at   timestamptz NOT NULL,
    to_id        bigint,
    PRIMARY KEY (tenant_id, id),
    CHECK (answered_at IS NULL OR withdrawn_at IS NULL)
);
COMMENT ON TABLE question IS 'The questions that messages ask, and their answers. Each has the id of its message.';
COMMENT ON COLUMN question.asker_id IS 'The agent or user that asked, and may withdraw it.';
COMMENT ON COLUMN question.choices IS 'The texts to choose from; empty if any text answers it.';
COMMENT ON COLUMN question.to_id IS 'The agent or user that is asked directly; null in a zone.';
CREATE INDEX question_asker ON question (tenant_id, asker_id, created_at);
CREATE INDEX question_waiting ON question (tenant_id, to_id, created_at) WHERE to_id IS NOT NULL AND answered_at IS NULL AND withdrawn_at IS NULL;

CREATE TABLE remote_message (
    tenant_id       bigint      NOT NULL,
    message_id      uuid        NOT NULL,
    agent_id        bigint      NOT NULL,
    conversation_id bigint      NOT NULL,
    seq             bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    due_at          timestamptz,
    claim           uuid,
    attempts        integer     NOT NULL DEFAULT 0,
    sent_at         timestamptz,
    root_id         uuid,
    state           jsonb       NOT NULL DEFAULT '{}',
    answer          text,
    said            text,
    unsure          integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, message_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent_remote ON DELETE CASCADE
);
COMMENT ON TABLE remote_message IS 'The direct messages to agents that live elsewhere: those to send, and those whose answer is awaited.';
COMMENT ON COLUMN remote_message.due_at IS 'When to look at it next, while it is claimed when the claim expires; null when nothing more is expected.';
COMMENT ON COLUMN remote_message.claim IS 'Who is at work on it.';
COMMENT ON COLUMN remote_message.sent_at IS 'When the other server took it.';
COMMENT ON COLUMN remote_message.root_id IS 'The message that began what it continues.';
COMMENT ON COLUMN remote_message.state IS 'What the protocol knows of it, which is written and read by the protocol only.';
COMMENT ON COLUMN remote_message.said IS 'The mark of the answer that was said last: it is not said again.';
COMMENT ON COLUMN remote_message.unsure IS 'How often it was sent without an answer.';
COMMENT ON COLUMN remote_message.answer IS 'What is still to be said here, as JSON.';
CREATE INDEX remote_message_due ON remote_message (tenant_id, agent_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX remote_message_place ON remote_message (tenant_id, conversation_id, seq);
CREATE INDEX remote_message_age ON remote_message (created_at) WHERE due_at IS NULL;
