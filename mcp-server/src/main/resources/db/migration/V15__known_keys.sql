-- Keys whose secret somebody else was shown, who must not rise with their user.

-- Of those that are there nobody knows any more.
ALTER TABLE api_key ADD COLUMN known_to_others boolean NOT NULL DEFAULT true;
ALTER TABLE api_key ALTER COLUMN known_to_others SET DEFAULT false;
COMMENT ON COLUMN api_key.known_to_others IS
    'Whether another user was shown its secret, or the secret of the key that made or rotated it.';
