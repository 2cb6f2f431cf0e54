package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import io.agentworkspace.engine.kernel.secrets.Vault;
import java.util.List;

/**
 * The command {@code secrets reseal}: seals every secret in the database with the current master key. It works beside
 * running engines that have both keys, and starts the embedded database if it is not running.
 */
record SecretsCommand(Settings settings) {
    static final String WORD = "secrets";

    /**
     * @param words the words after {@code secrets} on the command line, without the flags
     * @return a description of what was done
     * @throws InvalidSetting if the words are not valid
     */
    String run(List<String> words) {
        if (!words.equals(List.of("reseal"))) {
            throw new InvalidSetting("usage: secrets reseal [<flags>]");
        }
        return DatabaseSource.with(settings, source -> {
            try (var db = source.open(2, settings.database().timeout())) {
                Migrations.run(db);
                var secrets = new MasterKeyRotation(
                                db,
                                new Vault(
                                        db,
                                        settings.secrets()
                                                .masterKeys(settings.database().dataDir())))
                        .run();
                return "%d secrets are now encrypted with the current key\n".formatted(secrets);
            }
        });
    }
}
