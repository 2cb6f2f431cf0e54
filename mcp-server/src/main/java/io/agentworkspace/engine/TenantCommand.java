package io.agentworkspace.engine;

import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.store.AuditStore;
import io.agentworkspace.engine.store.KeyStore;
import io.agentworkspace.engine.store.Migrations;
import io.agentworkspace.engine.store.PlanLimits;
import io.agentworkspace.engine.store.TenantStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * The command {@code tenant create <name> [<owner>]}: makes a tenant with its owner, and gives the owner's first key, once. It works beside
 * running engines, and starts the embedded database where none runs.
 */
record TenantCommand(Settings settings, Clock clock) {
    static final String WORD = "tenant";

    private static final String USAGE = "tenant create <name> [<user name of its owner, default: owner>] [<flags>]";

    /**
     * @param words what follows {@code tenant} on the command line, without the flags
     * @throws BadSetting when they are not understood, or the name is taken
     */
    FirstKey run(List<String> words) {
        if (words.size() < 2 || words.size() > 3 || !words.getFirst().equals("create")) {
            throw new BadSetting("the command is: " + USAGE);
        }
        try {
            var tenant = Name.checked("the tenant's name", words.get(1));
            var owner = Name.checked("the owner's name", words.size() == 3 ? words.get(2) : "owner");
            return Source.with(settings, source -> create(source, tenant, owner));
        } catch (Problem problem) {
            throw new BadSetting(problem.note());
        }
    }

    private FirstKey create(Source source, Name name, Name owner) {
        try (var db = source.open(2);
                var watch = source.watch()) {
            Migrations.run(db);
            PlanLimits.publish(db);
            var tenants = new TenantStore(db);
            var founding = new Founding(
                    tenants,
                    new KeyStore(db, clock, watch),
                    new AuditStore(db, Duration.ofDays(settings.auditDays())),
                    settings.plan(),
                    clock);
            return db.transaction(() -> {
                if (tenants.isFresh()) {
                    throw new BadSetting(
                            "the database is fresh: start the engine on it first, which makes the tenant 'default'");
                }
                return founding.found(name, owner, ApiKey.generate(new SecureRandom()));
            });
        }
    }
}
