package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.EmailAddress;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores sign-ins in progress, and the identities of users at providers. */
public final class SignInStore {
    private static final int NAMES_TRIED = 1_000;

    private static final String EXPIRED = Db.oldRows("sign_in", "id", "expires_at <= :until");

    private final Db db;

    private final AuditStore audit;

    public SignInStore(Db db, AuditStore audit) {
        this.db = db;
        this.audit = audit;
    }

    /** A sign-in in progress, without its secret. */
    record OpenSignIn(String provider, String surface, String returnTo) {}

    void begin(String id, OpenSignIn visit, Instant expires) {
        db.sql("""
                INSERT INTO sign_in (id, provider, surface, return_to, expires_at)
                VALUES (:id, :provider, :surface, :return, :expires)
                """)
                .set("id", id)
                .set("provider", visit.provider())
                .set("surface", visit.surface())
                .set("return", visit.returnTo())
                .set("expires", expires)
                .run();
    }

    /** Takes a sign-in, which works only once on all replicas. */
    Optional<OpenSignIn> take(String id, Instant now) {
        return db.sql("""
                WITH taken AS (DELETE FROM sign_in WHERE id = :id RETURNING *)
                SELECT provider, surface, return_to FROM taken WHERE expires_at > :now
                """).set("id", id).set("now", now).one(row -> row.as(OpenSignIn.class));
    }

    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }

    Optional<Long> findTenant(String name) {
        return db.sql("SELECT tenant_id FROM tenant WHERE name_key = :key")
                .set("key", Name.key(name))
                .one(row -> row.number("tenant_id"));
    }

    /** The identity of a user at a provider. */
    public record Identity(long tenant, String issuer, String subject) {}

    /** A user of the tenant, who may have been removed. */
    public record Person(
            long user,
            String name,
            boolean removed,
            @Nullable String email) {}

    /**
     * An e-mail address that a provider reported.
     *
     * @param email in the form of {@link EmailAddress#key}; null if there is no verified address
     */
    public record Reported(@Nullable String email, Instant at) {}

    Optional<Person> find(Identity identity) {
        return db.sql("""
                SELECT u.id, u.name, u.removed_at IS NOT NULL AS removed, e.email
                  FROM external_identity e
                  JOIN app_user u ON u.tenant_id = :tenant AND u.id = e.user_id
                 WHERE e.tenant_id = :tenant AND e.issuer = :issuer AND e.subject = :subject
                """)
                .set("tenant", identity.tenant())
                .set("issuer", identity.issuer())
                .set("subject", identity.subject())
                .one(row ->
                        new Person(row.number("id"), row.text("name"), row.flag("removed"), row.textOrNull("email")));
    }

    /**
     * Returns the subjects of the users whose address the issuer verified last: at most two of them.
     *
     * @param email in the form of {@link EmailAddress#key}
     */
    List<String> subjects(long tenant, String issuer, String email) {
        return db.sql("""
                SELECT subject FROM external_identity
                 WHERE tenant_id = :tenant AND issuer = :issuer AND email = :email
                 LIMIT 2
                """)
                .set("tenant", tenant)
                .set("issuer", issuer)
                .set("email", email)
                .list(row -> row.text("subject"));
    }

    /** Stores what a provider reports, unless a later report is already stored. */
    public void report(Identity identity, Reported reported) {
        db.sql("""
                UPDATE external_identity
                   SET email = CAST(:email AS text), email_at = :at
                 WHERE tenant_id = :tenant AND issuer = :issuer AND subject = :subject
                   AND (email_at IS NULL OR email_at <= :at)
                """)
                .set("tenant", identity.tenant())
                .set("issuer", identity.issuer())
                .set("subject", identity.subject())
                .set("email", reported.email())
                .set("at", reported.at())
                .run();
    }

    /**
     * Returns the user of this identity, and creates one if there is none. A new user never takes over a used name: if
     * an admin creates a user with the name at the same moment, another name is chosen.
     *
     * @param entry returns the audit entry of a new member with this name
     */
    public Person join(Identity identity, Name name, Instant now, Function<String, AuditEntry> entry) {
        try {
            return joined(identity, name, now, entry);
        } catch (Problem problem) {
            if (problem.failure() != Failure.ALREADY_EXISTS) {
                throw problem;
            }
            return joined(identity, name, now, entry);
        }
    }

    private Person joined(Identity identity, Name name, Instant now, Function<String, AuditEntry> entry) {
        return db.transaction(() -> {
            db.sql("SELECT pg_advisory_xact_lock(hashtextextended(:issuer || ' ' || :subject, :tenant))")
                    .set("issuer", identity.issuer())
                    .set("subject", identity.subject())
                    .set("tenant", identity.tenant())
                    .one(_ -> true);
            return find(identity).orElseGet(() -> insert(identity, name, now, entry));
        });
    }

    private Person insert(Identity identity, Name nickname, Instant now, Function<String, AuditEntry> entry) {
        var tenants = new TenantStore(db);
        var name = free(identity.tenant(), nickname);
        var user = tenants.createUser(identity.tenant(), name, Role.MEMBER, now);
        db.sql("""
                INSERT INTO external_identity (tenant_id, issuer, subject, user_id, created_at)
                VALUES (:tenant, :issuer, :subject, :user, :now)
                """)
                .set("tenant", identity.tenant())
                .set("issuer", identity.issuer())
                .set("subject", identity.subject())
                .set("user", user)
                .set("now", now)
                .run();
        audit.note(identity.tenant(), entry.apply(name.text()));
        return new Person(user, name.text(), false, null);
    }

    /** Returns the name, or the first unused of "name 2", "name 3", …. */
    private Name free(long tenant, Name name) {
        // Others who join with this name wait, and then take the next one.
        db.sql("SELECT pg_advisory_xact_lock(hashtextextended('name ' || :key, :tenant))")
                .set("key", name.key())
                .set("tenant", tenant)
                .one(_ -> true);
        return db.sql("""
                SELECT n FROM generate_series(1, :most) n
                 WHERE NOT EXISTS (SELECT 1 FROM app_user u
                                    WHERE u.tenant_id = :tenant AND u.removed_at IS NULL
                                      AND u.name_key = :key || CASE WHEN n = 1 THEN '' ELSE ' ' || n END)
                 ORDER BY n
                 LIMIT 1
                """)
                .set("most", NAMES_TRIED)
                .set("tenant", tenant)
                .set("key", name.key())
                .one(row -> row.number("n"))
                .filter(n -> n > 1)
                .map(n -> Name.of(name.text() + " " + n))
                .orElse(name);
    }
}
