package io.agentworkspace.engine.app.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The database and the data directory.
 *
 * @param url JDBC URL of a PostgreSQL; null: the embedded one
 * @param notifyUrl JDBC URL for notifications and migrations, past a pooler of transactions; null: the same
 * @param timeout how long a statement of a write may take
 * @param poolSize the number of connections
 * @param longestWait how long a start waits for a database that is not there yet
 * @param dataDir directory of the embedded database, its log and the key for secrets
 */
public record DatabaseSettings(
        @Nullable String url,
        @Nullable String notifyUrl,
        int poolSize,
        Duration timeout,
        Duration longestWait,
        Path dataDir) {
    static final Setting<String> DATABASE_URL = Setting.of(
                    "ENGINE_DATABASE_URL",
                    null,
                    "JDBC URL of a PostgreSQL to use instead of the embedded one",
                    "a JDBC URL such as jdbc:postgresql://db.example.com/engine?user=engine&password=...",
                    SettingParsers::jdbcUrl)
            .isSecret();
    static final Setting<String> NOTIFY_URL = Setting.of(
                    "ENGINE_DATABASE_NOTIFY_URL",
                    null,
                    "JDBC URL that leads to the database directly, for notifications and migrations, if ENGINE_DATABASE_URL leads to a pooler of transactions",
                    "a JDBC URL such as jdbc:postgresql://db.example.com/engine?user=engine&password=...",
                    SettingParsers::jdbcUrl)
            .isSecret();
    static final Setting<Duration> TIMEOUT = Setting.of(
            "ENGINE_DATABASE_TIMEOUT",
            "8s",
            "longest time of a statement that writes; reads may take 5/8 of it",
            "a time from 2s to 60s",
            text -> SettingParsers.duration(text, Duration.ofSeconds(2), Duration.ofMinutes(1)));
    static final Setting<Integer> POOL_SIZE = Setting.of(
            "ENGINE_DATABASE_POOL_SIZE",
            "12",
            "connections to the database",
            "a number from 1 to 90",
            SettingParsers.number(1, 90));
    static final Setting<Duration> WAIT = Setting.of(
            "ENGINE_DATABASE_WAIT",
            "60s",
            "how long to wait at the start for a database that cannot be reached yet",
            "a time such as 60s or 5m, at most 7d",
            SettingParsers::duration);
    static final Setting<Path> DATA_DIR = Setting.of(
            "ENGINE_DATA_DIR",
            ".engine",
            "directory of the embedded database, its log and the generated keys",
            "a directory",
            text -> Path.of(text).toAbsolutePath().normalize());

    static DatabaseSettings read(Map<String, String> values) {
        return new DatabaseSettings(
                DATABASE_URL.find(values),
                NOTIFY_URL.find(values),
                POOL_SIZE.read(values),
                TIMEOUT.read(values),
                WAIT.read(values),
                DATA_DIR.read(values));
    }
}
