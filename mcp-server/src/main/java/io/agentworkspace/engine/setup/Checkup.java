package io.agentworkspace.engine.setup;

import io.agentworkspace.engine.settings.Settings;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** All checks of a set-up. They change nothing. */
public record Checkup(Settings settings, String version, Clock clock) {

    /** @throws InterruptedException if the thread is interrupted while an address is asked */
    public List<Finding> run(SetupQueries database) throws InterruptedException {
        var findings = new ArrayList<Finding>();
        findings.add(Finding.ok("version", "engine %s, Java %s", version, Runtime.version()));
        findings.addAll(new DatabaseChecks(database, settings.database().poolSize(), clock).run());
        findings.add(DiskCheck.run(settings.database().dataDir()));
        findings.add(secrets());
        findings.addAll(addresses());
        findings.addAll(new AddressChecks(clock).trusted(settings.webhooks().authorities()));
        return findings;
    }

    private Finding secrets() {
        if (settings.secrets().key() != null) {
            return Finding.ok("secrets", "the key is from ENGINE_SECRETS_KEY");
        }
        return settings.database().url() == null
                ? Finding.ok("secrets", "the key is in the data directory: back it up with the database")
                : Finding.warn(
                        "secrets",
                        "the key is in the data directory of this machine: set ENGINE_SECRETS_KEY, the same for all replicas");
    }

    private List<Finding> addresses() throws InterruptedException {
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
