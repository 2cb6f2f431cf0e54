package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.secrets.SecretsFailure;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Secrets are re-encrypted from one master key to another. */
@Tag("slow")
class SecretsCommandTest {
    private final String database = "secrets_" + UUID.randomUUID().toString().replace("-", "");
    private final Db db = TestDatabase.fresh(database);
    private final String apiKey = ApiKey.generate(new SecureRandom()).reveal();
    private final String old = masterKey();
    private final String fresh = masterKey();

    @AfterEach
    void close() {
        db.close();
    }

    private static String masterKey() {
        var bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private Map<String, String> settings(String key, String others) {
        return new HashMap<>(Map.of(
                "ENGINE_DATABASE_URL",
                TestDatabase.url(database),
                "ENGINE_BOOTSTRAP_KEY",
                apiKey,
                "ENGINE_SECRETS_KEY",
                key,
                "ENGINE_SECRETS_OTHER_KEYS",
                others));
    }

    private String reseal(String key, String others) {
        return new SecretsCommand(Settings.read(settings(key, others), List.of())).run(List.of("reseal"));
    }

    private int post(Replica engine, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + path))
                .header("X-Api-Key", apiKey)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    private List<String> sealed() {
        return db.sql("""
                SELECT private_key AS text FROM signing_key
                 UNION ALL
                SELECT secret FROM webhook_endpoint
                 UNION ALL
                SELECT previous_secret FROM webhook_endpoint
                 UNION ALL
                SELECT tokens FROM upstream_account
                 UNION ALL
                SELECT client FROM upstream_client
                 UNION ALL
                SELECT sealed FROM vault_check
                """).list(row -> row.text("text"));
    }

    @Test
    void afterwardsTheNewKeyIsEnough() throws Exception {
        try (var engine = Replica.start(settings(old, ""), Clock.systemUTC())) {
            var path = "/api/webhooks/endpoints";
            assertThat(post(engine, path, "{\"url\":\"https://hooks.invalid/\",\"events\":[\"*\"]}"))
                    .isEqualTo(201);
            var id = db.sql("SELECT id FROM webhook_endpoint")
                    .one(row -> row.text("id"))
                    .orElseThrow();
            assertThat(post(engine, path + "/" + id + "/rotate-secret", "{}")).isEqualTo(200);
            signIn(engine);
        }
        insertAccount();
        var before = sealed();
        assertThatThrownBy(() -> reseal(fresh, "")).isInstanceOf(SecretsFailure.class);
        assertThat(sealed()).containsExactlyInAnyOrderElementsOf(before);

        assertThat(reseal(fresh, old)).isEqualTo("5 secrets are now encrypted with the current key\n");
        assertThat(reseal(fresh, old)).isEqualTo("5 secrets are now encrypted with the current key\n");
        assertThat(sealed()).hasSize(6).doesNotContainAnyElementsOf(before);
        assertThat(db.sql("SELECT count(*) AS rows FROM upstream_connection").one(row -> row.number("rows")))
                .as("connections under way, which begin again")
                .hasValue(0L);
        try (var engine = Replica.start(settings(fresh, ""), Clock.systemUTC())) {
            signIn(engine);
        }
        assertThatThrownBy(() -> Replica.start(settings(old, ""), Clock.systemUTC()))
                .isInstanceOf(SecretsFailure.class);
    }

    /** Inserts an account of a user at an upstream server, the client that it was connected with, and another that is under way. */
    private void insertAccount() {
        var vault = new Vault(
                db, Settings.read(settings(old, ""), List.of()).secrets().masterKeys(Path.of("unused")));
        var owner = db.sql("SELECT tenant_id, id FROM app_user LIMIT 1")
                .one(row -> new long[] {row.number("tenant_id"), row.number("id")})
                .orElseThrow();
        var tokens = vault.seal(AccountStore.place(owner[0], "files", owner[1], "u"), new byte[] {1});
        var client = vault.seal(AccountStore.place(owner[0], "files", "https://auth.example.com"), new byte[] {2});
        for (var statement : List.of(
                "INSERT INTO upstream (tenant_id, name, url, credential, timeout_ms, created_at, updated_at) VALUES (:tenant, 'files', 'u', '{}', 1, now(), now())",
                "INSERT INTO upstream_account (tenant_id, upstream, user_id, url, tokens, renewed_at, connected_at) VALUES (:tenant, 'files', :user, 'u', :tokens, now(), now())",
                "INSERT INTO upstream_client (tenant_id, upstream, issuer, redirect_uri, client, created_at) VALUES (:tenant, 'files', 'https://auth.example.com', 'r', :client, now())",
                "INSERT INTO upstream_connection (tenant_id, id, upstream, user_id, session_id, request, expires_at) VALUES (:tenant, 'i', 'files', :user, 's', 'r', now())")) {
            db.sql(statement)
                    .set("tenant", owner[0])
                    .set("user", owner[1])
                    .set("tokens", tokens)
                    .set("client", client)
                    .run();
        }
    }

    /** Requests an access token, which needs the signing key. */
    private void signIn(Replica engine) throws Exception {
        var http = HttpClient.newHttpClient();
        var session = http.send(
                HttpRequest.newBuilder(URI.create(engine.url() + "/api/auth/session"))
                        .header("X-Api-Key", apiKey)
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
        var token = session.body().replaceAll("(?s).*\"csrf_token\":\"([^\"]+)\".*", "$1");
        var cookie = session.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        var answer = http.send(
                HttpRequest.newBuilder(URI.create(engine.url() + "/api/auth/token"))
                        .header("Cookie", cookie)
                        .header("X-CSRF-Token", token)
                        .header("Sec-Fetch-Site", "same-origin")
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void anythingElseIsNotUnderstood() {
        assertThatThrownBy(() -> new SecretsCommand(Settings.read(settings(old, ""), List.of())).run(List.of("rotate")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("secrets reseal");
    }
}
