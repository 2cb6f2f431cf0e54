-- Callers can name a user by the e-mail address that its sign-in provider has verified.

ALTER TABLE external_identity ADD COLUMN email text, ADD COLUMN email_at timestamptz;
COMMENT ON COLUMN external_identity.email IS 'The address that the provider last reported as verified, with ASCII letters in lower case. It finds users, it never proves who a caller is, and no answer contains it.';
COMMENT ON COLUMN external_identity.email_at IS 'When the provider reported it: an older token does not change it. Infinity once the user is removed.';
CREATE INDEX external_identity_email ON external_identity (tenant_id, email) WHERE email IS NOT NULL;

-- Not unique: providers reassign addresses, and two providers of a tenant can report the same one. A unique index would refuse
-- the second user's sign-in, or take the address from the first. Who is meant is unknown then, so the address finds neither.
-- It is a function so that statements that name no address do not plan the look-up.
CREATE FUNCTION user_of_email(of_tenant bigint, address text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT min(e.user_id)
      FROM external_identity e
      JOIN app_user u ON u.tenant_id = e.tenant_id AND u.id = e.user_id AND u.removed_at IS NULL
     WHERE e.tenant_id = of_tenant AND e.email = address
    HAVING min(e.user_id) = max(e.user_id)
$$;

-- What replicas remember of callers does not depend on the address.
DROP TRIGGER external_identity_ended ON external_identity;
CREATE TRIGGER external_identity_ended
    AFTER UPDATE OF tenant_id, issuer, subject, user_id OR DELETE OR TRUNCATE ON external_identity
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
