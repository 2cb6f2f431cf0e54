package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All settings, in groups, read once at startup. The parsing, the flags and {@code --help} come from {@link #ALL}. */
public record Settings(
        HttpSettings http,
        DatabaseSettings database,
        SecretSettings secrets,
        TenantSettings tenants,
        SignInSettings signIn,
        RetentionSettings retention,
        DocumentSettings documents,
        EmbeddingConfig embedding,
        WebhookSettings webhooks,
        UpstreamSettings upstreams,
        A2aSettings a2a,
        ObservabilitySettings observability,
        LogFormat logFormat,
        @Nullable Path logFile) {

    /** The format of the log's lines. */
    public enum LogFormat {
        TEXT,
        JSON
    }

    static final Setting<LogFormat> LOG_FORMAT = Setting.of(
            "ENGINE_LOG_FORMAT",
            "text",
            "format of the log: text or json",
            "text or json",
            SettingParsers.oneOf(LogFormat.class));

    static final Setting<Path> LOG_FILE = Setting.of(
            "ENGINE_LOG_FILE",
            null,
            "file for the log instead of standard error; at 10 MB it is renamed, and five older ones are kept",
            "a file in a directory that exists and that the engine may write to",
            SettingParsers::writableFile);

    /** All settings, in the order of {@code --help}. */
    public static final List<Setting<?>> ALL = List.of(
            HttpSettings.HOST,
            HttpSettings.PORT,
            HttpSettings.BASE_URL,
            HttpSettings.MCP_URL,
            DatabaseSettings.DATABASE_URL,
            DatabaseSettings.NOTIFY_URL,
            DatabaseSettings.POOL_SIZE,
            DatabaseSettings.TIMEOUT,
            DatabaseSettings.WAIT,
            DatabaseSettings.DATA_DIR,
            TenantSettings.BOOTSTRAP_KEY,
            SecretSettings.SECRETS_KEY,
            SecretSettings.SECRETS_OTHER_KEYS,
            HttpSettings.ALLOWED_ORIGINS,
            HttpSettings.ALLOWED_HOSTS,
            HttpSettings.RATE_LIMIT,
            HttpSettings.STRANGER_LIMIT,
            HttpSettings.TRUSTED_PROXIES,
            HttpSettings.DRAIN_SECONDS,
            HttpSettings.HOOK_MILLIS,
            HttpSettings.APPS,
            TenantSettings.PLAN,
            SignInSettings.OAUTH_SURFACES,
            SignInSettings.MCP_OAUTH,
            SignInSettings.AUTHORIZATION,
            RetentionSettings.AUDIT_DAYS,
            RetentionSettings.EVENTS_DAYS,
            RetentionSettings.TASKS_DAYS,
            DocumentSettings.SECONDS,
            DocumentSettings.REJECTED_DAYS,
            EmbeddingSettings.EMBEDDING,
            EmbeddingSettings.KEY,
            EmbeddingSettings.MODEL,
            WebhookSettings.ALLOW_PRIVATE,
            WebhookSettings.CA_FILE,
            WebhookSettings.RETRY_SCHEDULE,
            UpstreamSettings.ALLOW,
            A2aSettings.A2A,
            A2aSettings.PUBLIC,
            ObservabilitySettings.METRICS_TOKEN,
            ObservabilitySettings.METRICS_LISTEN,
            LOG_FORMAT,
            LOG_FILE);

    /** Reads the environment and the command line, which takes precedence. */
    public static Settings read(Map<String, String> environment, List<String> commandLine) {
        var values = texts(environment, commandLine);
        return new Settings(
                HttpSettings.read(values),
                DatabaseSettings.read(values),
                SecretSettings.read(values),
                TenantSettings.read(values),
                SignInSettings.read(values),
                RetentionSettings.read(values),
                DocumentSettings.read(values),
                EmbeddingSettings.read(values),
                WebhookSettings.read(values),
                UpstreamSettings.read(values),
                A2aSettings.read(values),
                ObservabilitySettings.read(values),
                LOG_FORMAT.read(values),
                LOG_FILE.find(values));
    }

    /** Returns each setting's text as it was given, or its default, and of secret ones only whether they are set. */
    public static Map<String, String> shown(Map<String, String> environment, List<String> commandLine) {
        var values = texts(environment, commandLine);
        var shown = new LinkedHashMap<String, String>();
        for (var setting : ALL) {
            var text = values.getOrDefault(setting.name(), "").strip();
            var fallback = setting.fallback() == null ? "" : setting.fallback();
            shown.put(setting.name(), text.isEmpty() ? fallback + " (default)" : setting.secret() ? "(set)" : text);
        }
        return shown;
    }

    /** Returns the texts of the secret settings that are set. */
    public static List<String> secrets(Map<String, String> environment, List<String> commandLine) {
        var values = texts(environment, commandLine);
        return ALL.stream()
                .filter(setting -> setting.secret() && values.containsKey(setting.name()))
                .map(setting -> values.getOrDefault(setting.name(), ""))
                .toList();
    }

    private static Map<String, String> texts(Map<String, String> environment, List<String> commandLine) {
        var values = new HashMap<>(environment);
        values.putAll(Flags.read(commandLine, ALL));
        return values;
    }

    /** Returns all settings as text, a paragraph for each. */
    public static String help() {
        return ALL.stream().map(Settings::help).collect(Collectors.joining("\n", """
                Settings. Give each as a flag or in the environment; the flag takes precedence. Defaults are in brackets:

                """, "\n"));
    }

    private static String help(Setting<?> setting) {
        String fallback = setting.fallback();
        return "  %-22s %-27s %s%s"
                .formatted(
                        setting.flag(),
                        setting.name(),
                        setting.words(),
                        fallback == null || fallback.isEmpty() ? "" : " [" + fallback + "]");
    }
}
