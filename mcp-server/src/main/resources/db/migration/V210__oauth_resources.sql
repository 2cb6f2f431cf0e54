-- A token of the authorization server works at the path of the MCP endpoint that it was issued for. Several tokens of one grant may be
-- in use, one for each refresh token. Registrations are counted by address and network. A session knows whether a person began it.
ALTER TABLE browser_session ADD COLUMN by_person boolean NOT NULL DEFAULT false;
UPDATE browser_session SET by_person = true WHERE key_id IS NULL;
COMMENT ON COLUMN browser_session.by_person IS 'Whether a person signed in, at the page or at a provider. A program''s session speaks for the program.';

ALTER TABLE api_key ADD COLUMN resource text;
UPDATE api_key k SET resource = '/mcp' FROM oauth_grant g WHERE g.tenant_id = k.tenant_id AND g.key_id = k.id;
COMMENT ON COLUMN api_key.resource IS 'The path of the MCP endpoint that it works at, for the access of a program by OAuth; null for every address.';

ALTER TABLE oauth_grant ADD COLUMN keyed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN oauth_grant.keyed IS 'Whether the client must sign with its own key to get tokens (private_key_jwt).';

ALTER TABLE oauth_secret ADD COLUMN token_hash bytea, ADD COLUMN token_until timestamptz;
COMMENT ON COLUMN oauth_secret.token_hash IS 'The hash of the access token that came with a refresh token. It works until the refresh token is used, or expires.';

ALTER TABLE oauth_client ADD COLUMN address text, ADD COLUMN network text;
COMMENT ON COLUMN oauth_client.address IS 'Where it was registered from: an IPv4 address, or the /64 network of an IPv6 address.';
COMMENT ON COLUMN oauth_client.network IS 'The /24 or /48 network of that address.';
