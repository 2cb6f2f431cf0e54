-- A call of a server that asks goes on where it waits, whichever replica receives the answer.
CREATE TABLE upstream_round (
    tenant_id  bigint      NOT NULL,
    id         uuid        NOT NULL,
    call       text        NOT NULL,
    answers    text        NOT NULL,
    outcome    text,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE upstream_round IS 'Answers to a server''s questions that reached another replica than the one whose call waits for them.';
COMMENT ON COLUMN upstream_round.call IS 'The id of the call that waits.';
COMMENT ON COLUMN upstream_round.answers IS 'JSON: the client''s answers, by the keys of the questions.';
COMMENT ON COLUMN upstream_round.outcome IS 'JSON: the result, further questions, or why there is neither; null until the call goes on.';
CREATE INDEX upstream_round_expiry ON upstream_round (expires_at);

ALTER TABLE upstream_round ALTER COLUMN tenant_id SET (n_distinct = 3);
