package io.agentworkspace.engine.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.credentials.SessionSecret;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.migration.Migrations;
import io.agentworkspace.engine.keys.CallerChanges;
import io.agentworkspace.engine.keys.KeyStore;
import io.agentworkspace.engine.testing.TestDatabase;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens to existing sessions when the engine begins to store which secret of a key began a session (V11). */
class SessionSecretsMigrationTest {
    private static final String NAME = "session_secrets";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private Db db;

    @BeforeEach
    void asItWasBefore() {
        db = TestDatabase.empty(NAME);
        Flyway.configure()
                .dataSource(db.withoutLimits())
                .locations("classpath:db/migration")
                .target("10")
                .load()
                .migrate();
        db.sql("INSERT INTO tenant VALUES (1, 'one', 'one', 'free', :now), (2, 'two', 'two', 'free', :now)")
                .set("now", now)
                .run();
        db.sql("""
                INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at)
                VALUES (1, 10, 'ann', 'ann', 'member', :now), (2, 10, 'eve', 'eve', 'member', :now)
                """).set("now", now).run();
    }

    @AfterEach
    void close() {
        db.close();
        TestDatabase.db().sql("DROP DATABASE %s WITH (FORCE)".formatted(NAME)).run();
    }

    private ApiKey key(long tenant, boolean rotated) {
        var key = ApiKey.generate(RANDOM);
        db.sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, rotated_at, previous_hash,
                                     previous_until, created_at)
                SELECT :tenant, :id, :hash, 10, 'k', '{*}', r.at, CASE WHEN r.at IS NULL THEN NULL ELSE :previous END,
                       r.at + INTERVAL '1 day', :now
                  FROM (VALUES (CASE WHEN :rotated THEN CAST(:now AS timestamptz) END)) r (at)
                """)
                .set("tenant", tenant)
                .set("id", key.id())
                .set("hash", key.secretHash())
                .set("previous", ApiKey.withId(key.id(), RANDOM).secretHash())
                .set("rotated", rotated)
                .set("now", now)
                .run();
        return key;
    }

    private SessionSecret session(long tenant, @Nullable ApiKey key) {
        var secret = SessionSecret.generate(RANDOM);
        db.sql("""
                INSERT INTO browser_session
                VALUES (:tenant, :id, :hash, 10, :key, :now, :now, CAST(:now AS timestamptz) + INTERVAL '8 hours')
                """)
                .set("tenant", tenant)
                .set("id", secret.id())
                .set("hash", secret.hash())
                .set("key", key == null ? null : key.id())
                .set("now", now)
                .run();
        return secret;
    }

    private @Nullable String keyHash(SessionSecret session) {
        return db.sql("SELECT encode(key_hash, 'hex') AS hash FROM browser_session WHERE id = :id")
                .set("id", session.id())
                .one(row -> row.textOrNull("hash") == null ? "none" : row.text("hash"))
                .orElse("gone");
    }

    private static String hex(ApiKey key) {
        return HexFormat.of().formatHex(key.secretHash());
    }

    @Test
    void sessionsOfUnrotatedKeysAndOfProvidersGoOnThoseOfRotatedKeysEnd() {
        var steady = key(1, false);
        var other = key(2, false);
        var rotated = key(1, true);
        var ofSteady = session(1, steady);
        var ofOther = session(2, other);
        var ofRotated = List.of(session(1, rotated), session(1, rotated));
        var ofProvider = session(1, null);
        var otherProvider = session(2, null);

        Migrations.run(db);

        assertThat(keyHash(ofSteady)).isEqualTo(hex(steady));
        assertThat(keyHash(ofOther)).isEqualTo(hex(other));
        assertThat(ofRotated).allMatch(session -> "gone".equals(keyHash(session)));
        assertThat(List.of(ofProvider, otherProvider)).allMatch(session -> "none".equals(keyHash(session)));
        assertWhoIsSignedIn(ofSteady, ofRotated.getFirst(), ofProvider);
    }

    /** Checks the sessions after the migration: a session of a key ends with the key's secret. */
    private void assertWhoIsSignedIn(SessionSecret ofSteady, SessionSecret ofRotated, SessionSecret ofProvider) {
        assertThat(isSignedIn(ofSteady)).isTrue();
        assertThat(isSignedIn(ofRotated)).isFalse();
        assertThat(isSignedIn(ofProvider)).isTrue();
        db.sql("UPDATE api_key SET secret_hash = :hash, rotated_at = :now WHERE tenant_id = 1 AND rotated_at IS NULL")
                .set("hash", ApiKey.generate(RANDOM).secretHash())
                .set("now", now)
                .run();
        assertThat(isSignedIn(ofSteady)).isFalse();
        assertThat(isSignedIn(ofProvider)).isTrue();
    }

    /** Asks a replica that has just started and has an empty cache. */
    private boolean isSignedIn(SessionSecret session) {
        try (var watch = new CallerChanges(db)) {
            var clock = Clock.systemUTC();
            return new BrowserSessions(db, new KeyStore(db, clock, watch), watch, clock)
                    .find(session)
                    .isPresent();
        }
    }
}
