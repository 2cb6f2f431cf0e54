package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.account.PlanLimits;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * The command {@code tenant create <name> [<owner>]}: creates a tenant with its owner, and shows the owner's first
 * key once. It works beside running engines, and starts the embedded database if it is not running.
 */
record TenantCommand(Settings settings, Clock clock) {
    static final String WORD = "tenant";

    private static final String USAGE =
            "tenant create <name> [<owner>] [<flags>]; the owner's user name is 'owner' unless you give another";

    /**
     * @param words the words after {@code tenant} on the command line, without the flags
     * @throws InvalidSetting if the words are not valid, or the name is taken
     */
    FirstKey run(List<String> words) {
        if (words.size() < 2 || words.size() > 3 || !words.getFirst().equals("create")) {
            throw new InvalidSetting("usage: " + USAGE);
        }
        try {
            var tenant = Name.checked("the tenant's name", words.get(1));
            var owner = Name.checked("the owner's name", words.size() == 3 ? words.get(2) : "owner");
            return DatabaseSource.with(settings, source -> create(source, tenant, owner));
        } catch (Problem problem) {
            throw new InvalidSetting(problem.note());
        }
    }

    private FirstKey create(DatabaseSource source, Name name, Name owner) {
        try (var db = source.open(2, settings.database().timeout());
                var watch = new CallerChanges(db)) {
            Migrations.run(db);
            PlanLimits.publish(db);
            var tenants = new TenantStore(db);
            var founding = new TenantFounder(
                    tenants,
                    new KeyStore(db, clock, watch),
                    new AuditStore(db, Duration.ofDays(settings.retention().auditDays())),
                    settings.tenants().plan(),
                    clock);
            // With Citus, a transaction that writes to every server cannot also send the notification of a new key.
            db.transaction(() -> {
                if (tenants.isFresh()) {
                    throw new InvalidSetting(
                            "the database is empty: start the engine on it first, which creates the tenant 'default'");
                }
                return tenants.withoutUser(name).orElseGet(() -> founding.create(name));
            });
            return db.transaction(() -> {
                var created = tenants.withoutUser(name).orElseThrow(() -> Problem.alreadyExists("tenant", name.text()));
                return founding.createOwner(created, name, owner, ApiKey.generate(new SecureRandom()));
            });
        }
    }
}
