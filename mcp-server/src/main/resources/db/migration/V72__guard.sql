-- How far agents may go without a person: for the zones of a domain, and for the direct messages of an agent.
ALTER TABLE domain
    ADD COLUMN guard_hops integer NOT NULL DEFAULT 8 CHECK (guard_hops BETWEEN 1 AND 64),
    ADD COLUMN guard_per_minute integer NOT NULL DEFAULT 10 CHECK (guard_per_minute BETWEEN 1 AND 600);
ALTER TABLE agent
    ADD COLUMN guard_hops integer NOT NULL DEFAULT 8 CHECK (guard_hops BETWEEN 1 AND 64),
    ADD COLUMN guard_per_minute integer NOT NULL DEFAULT 10 CHECK (guard_per_minute BETWEEN 1 AND 600);
COMMENT ON COLUMN domain.guard_hops IS 'How many answers of agents may follow each other.';
COMMENT ON COLUMN domain.guard_per_minute IS 'The other limits are multiples of it: see LoopGuard.';
