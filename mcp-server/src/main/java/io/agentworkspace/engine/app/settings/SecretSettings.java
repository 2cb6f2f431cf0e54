package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that encrypt secrets in the database.
 *
 * @param key null: the one in the data directory
 * @param otherKeys other keys that can decrypt
 */
public record SecretSettings(@Nullable MasterKey key, List<MasterKey> otherKeys) {
    static final Setting<MasterKey> SECRETS_KEY = Setting.of(
                    "ENGINE_SECRETS_KEY",
                    null,
                    "key that encrypts secrets in the database, instead of the file secrets-key in the data directory",
                    "32 bytes in base64, such as the output of: openssl rand -base64 32",
                    MasterKey::parse)
            .isSecret();
    static final Setting<List<MasterKey>> SECRETS_OTHER_KEYS = Setting.of(
                    "ENGINE_SECRETS_OTHER_KEYS",
                    "",
                    "other keys that may decrypt secrets, while you change the key, comma-separated",
                    "a comma-separated list of keys, each of 32 bytes in base64",
                    SettingParsers.listOf(MasterKey::parse))
            .isSecret();

    static SecretSettings read(Map<String, String> values) {
        return new SecretSettings(SECRETS_KEY.find(values), SECRETS_OTHER_KEYS.read(values));
    }

    /** @param dataDir the directory of the key if none is set */
    public MasterKeys masterKeys(Path dataDir) {
        return new MasterKeys(key, dataDir, otherKeys.toArray(MasterKey[]::new));
    }
}
