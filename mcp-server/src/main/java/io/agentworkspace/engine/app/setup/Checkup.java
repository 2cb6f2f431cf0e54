package io.agentworkspace.engine.app.setup;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.embedded.PostgresFailure;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** All checks of a set-up. */
public record Checkup(Settings settings, String version, Clock clock) {

    /** Returns what can be checked on this machine alone. */
    public List<Finding> machine() {
        var findings = new ArrayList<Finding>();
        findings.add(Finding.ok("version", "engine %s, Java %s", version, Runtime.version()));
        findings.add(DiskCheck.run(settings.database().dataDir()));
        findings.add(secrets());
        findings.addAll(new AddressChecks(clock).trusted(settings.webhooks().authorities()));
        return findings;
    }

    public List<Finding> database(SetupQueries database) {
        return new DatabaseChecks(
                        database,
                        settings.database().url() != null,
                        settings.database().poolSize(),
                        clock)
                .run();
    }

    /** Returns that the embedded database did not start, or that the running engine is without it. */
    public Finding databaseFailure(PostgresFailure failure) {
        return failure.isInUse()
                ? Finding.fail(
                        "database",
                        "the engine that uses %1$s is running, but its database is not: %1$s/postgres.log says why. It starts again by itself once the reason is gone, such as a full disk",
                        settings.database().dataDir())
                : Finding.fail("database", "%s", DatabaseChecks.oneLine(failure));
    }

    private Finding secrets() {
        if (settings.secrets().key() != null) {
            return Finding.ok("secrets", "the key is from ENGINE_SECRETS_KEY");
        }
        return settings.database().url() == null
                ? Finding.ok(
                        "secrets",
                        "the key is in the data directory, as soon as there is a secret: back it up with the database")
                : Finding.warn(
                        "secrets",
                        "the key is in the data directory of this machine: set ENGINE_SECRETS_KEY, the same for all replicas");
    }

    /** Returns what clients find at the public addresses. */
    public List<Finding> addresses() throws InterruptedException {
        var http = settings.http();
        if (http.baseUrl() == null) {
            return List.of(Finding.note(
                    "address",
                    "ENGINE_BASE_URL is not set: clients use the address that the engine listens on, %s port %d",
                    http.host(),
                    http.port()));
        }
        return new AddressChecks(clock).run(http.baseUrl(), http.mcpUrl() == null ? http.baseUrl() : http.mcpUrl());
    }
}
