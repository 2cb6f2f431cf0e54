package io.agentworkspace.engine.settings;

import io.agentworkspace.engine.http.TrustedProxies;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.secrets.MasterKey;
import io.agentworkspace.engine.secrets.MasterKeys;
import io.agentworkspace.engine.signin.Provider;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be set from outside, read once at the start. The constants are the one table of settings: the
 * parsing, the flags and {@code --help} come from it.
 *
 * @param baseUrl public address of the service; null: the listening address
 * @param mcpUrl public address of the MCP endpoint; null: the listening address
 * @param databaseUrl JDBC URL of a PostgreSQL; null: the embedded one
 * @param bootstrapKey first API key of a fresh database; null: a random one
 * @param signInProviders providers where people can also sign in
 * @param mcpProvider the provider whose access tokens the MCP endpoint accepts; null: none
 * @param signInSurfaces the surfaces that people can sign in from
 * @param secretsKey the key for secrets; null: the one in the data directory
 * @param secretsOtherKeys other keys that can decrypt secrets
 */
public record Settings(
        String host,
        int port,
        @Nullable String baseUrl,
        @Nullable String mcpUrl,
        @Nullable String databaseUrl,
        int poolSize,
        Path dataDir,
        @Nullable String bootstrapKey,
        @Nullable MasterKey secretsKey,
        List<MasterKey> secretsOtherKeys,
        List<String> allowedOrigins,
        List<String> allowedHosts,
        RateLimit rateLimit,
        RateLimit strangerLimit,
        List<String> trustedProxies,
        Plan plan,
        List<Provider> signInProviders,
        List<String> signInSurfaces,
        @Nullable Provider mcpProvider,
        int auditDays,
        int eventsDays,
        WebhookSettings webhooks,
        LogFormat logFormat) {

    /** How a line of the log is written. */
    public enum LogFormat {
        TEXT,
        JSON
    }

    static final Setting<String> HOST = Setting.of(
            "ENGINE_HOST",
            "127.0.0.1",
            "address to listen on; 0.0.0.0 for all",
            "a host name or an IP address",
            SettingParsers::host);
    static final Setting<Integer> PORT = Setting.of(
            "ENGINE_PORT",
            "8080",
            "port to listen on; 0 for any free one",
            "a number from 0 to 65535",
            SettingParsers.number(0, 65_535));
    static final Setting<String> BASE_URL = Setting.of(
            "ENGINE_BASE_URL",
            null,
            "public address, when it is not the one listened on",
            "an address such as https://engine.example.com",
            SettingParsers::webAddress);
    static final Setting<String> MCP_URL = Setting.of(
            "ENGINE_MCP_URL",
            null,
            "public address for MCP, when it is another one",
            "an address such as https://mcp.example.com",
            SettingParsers::webAddress);
    static final Setting<String> DATABASE_URL = Setting.of(
                    "ENGINE_DATABASE_URL",
                    null,
                    "PostgreSQL to use instead of the embedded one",
                    "a JDBC URL such as jdbc:postgresql://db.example.com/engine?user=engine&password=...",
                    SettingParsers::jdbcUrl)
            .isSecret();
    static final Setting<Integer> POOL_SIZE = Setting.of(
            "ENGINE_DATABASE_POOL_SIZE",
            "12",
            "connections to the database",
            "a number from 1 to 90",
            SettingParsers.number(1, 90));
    static final Setting<Path> DATA_DIR = Setting.of(
            "ENGINE_DATA_DIR",
            ".engine",
            "embedded database and its log",
            "a directory",
            text -> Path.of(text).toAbsolutePath().normalize());
    static final Setting<String> BOOTSTRAP_KEY = Setting.of(
                    "ENGINE_BOOTSTRAP_KEY",
                    null,
                    "first API key of a fresh database, instead of a random one",
                    "a whole key, ek_<12 characters>_<36 characters>",
                    SettingParsers::key)
            .isSecret();
    static final Setting<MasterKey> SECRETS_KEY = Setting.of(
                    "ENGINE_SECRETS_KEY",
                    null,
                    "key that secrets in the database are sealed with, instead of secrets-key in the data directory",
                    "32 bytes in base64, as openssl rand -base64 32 prints them",
                    MasterKey::parse)
            .isSecret();
    static final Setting<List<MasterKey>> SECRETS_OTHER_KEYS = Setting.of(
                    "ENGINE_SECRETS_OTHER_KEYS",
                    "",
                    "keys that open what they have sealed, while secrets move from one key to another, comma-separated",
                    "a list of keys, each of 32 bytes in base64",
                    SettingParsers.listOf(MasterKey::parse))
            .isSecret();
    static final Setting<List<String>> ALLOWED_ORIGINS = Setting.of(
            "ENGINE_ALLOWED_ORIGINS",
            "",
            "browser origins allowed besides the public addresses, comma-separated",
            "a list like https://app.example.com,http://localhost:5173",
            SettingParsers.listOf(SettingParsers::origin));
    static final Setting<List<String>> ALLOWED_HOSTS = Setting.of(
            "ENGINE_ALLOWED_HOSTS",
            "",
            "host names answered besides those of the public addresses, comma-separated",
            "a list like engine.internal,10.0.0.7",
            SettingParsers.listOf(SettingParsers::host));
    static final Setting<RateLimit> RATE_LIMIT = Setting.of(
            "ENGINE_RATE_LIMIT",
            "200/s burst 400",
            "requests for each key; off for no limit",
            "like '200/s burst 400', '200/s' or 'off'",
            SettingParsers::rate);
    static final Setting<RateLimit> STRANGER_LIMIT = Setting.of(
            "ENGINE_STRANGER_LIMIT",
            "20/s burst 200",
            "requests for each address without a valid credential: public reads and failures, each; off for no limit",
            "like '20/s burst 200', '20/s' or 'off'",
            SettingParsers::rate);
    static final Setting<List<String>> TRUSTED_PROXIES = Setting.of(
            "ENGINE_TRUSTED_PROXIES",
            "",
            "proxies whose X-Forwarded-For or Forwarded tells the client's address, comma-separated",
            "a list of addresses and networks like 10.0.0.0/8,192.168.1.2",
            SettingParsers.listOf(TrustedProxies::checked));
    static final Setting<Plan> PLAN = Setting.of(
            "ENGINE_PLAN",
            "unlimited",
            "plan of a new tenant",
            "free, team, scale or unlimited",
            SettingParsers.oneOf(Plan.class));
    static final Setting<List<String>> OAUTH_SURFACES = Setting.of(
            "ENGINE_OAUTH_SURFACES",
            "hub,cli",
            "what third-party sign-in may begin from",
            "a list like hub,cli",
            SettingParsers.listOf(SettingParsers::word));
    static final Setting<String> MCP_OAUTH = Setting.of(
            "ENGINE_MCP_OAUTH",
            null,
            "sign-in provider whose access tokens are taken at /mcp",
            "the name of a provider, as in ENGINE_OAUTH_<PROVIDER>_ISSUER",
            text -> SettingParsers.word(text.toLowerCase(Locale.ROOT)));
    static final Setting<Integer> AUDIT_DAYS = Setting.of(
            "ENGINE_AUDIT_DAYS",
            "90",
            "days that the audit is kept",
            "a number from 1 to 3650",
            SettingParsers.number(1, 3_650));
    static final Setting<Integer> EVENTS_DAYS = Setting.of(
            "ENGINE_EVENTS_DAYS",
            "30",
            "days that events and their deliveries are kept",
            "a number from 4 to 3650",
            SettingParsers.number(4, 3_650));
    static final Setting<LogFormat> LOG_FORMAT = Setting.of(
            "ENGINE_LOG_FORMAT",
            "text",
            "how the log is written, on standard error",
            "text or json",
            SettingParsers.oneOf(LogFormat.class));

    /** The table, in the order of {@code --help}. */
    public static final List<Setting<?>> ALL = List.of(
            HOST,
            PORT,
            BASE_URL,
            MCP_URL,
            DATABASE_URL,
            POOL_SIZE,
            DATA_DIR,
            BOOTSTRAP_KEY,
            SECRETS_KEY,
            SECRETS_OTHER_KEYS,
            ALLOWED_ORIGINS,
            ALLOWED_HOSTS,
            RATE_LIMIT,
            STRANGER_LIMIT,
            TRUSTED_PROXIES,
            PLAN,
            OAUTH_SURFACES,
            MCP_OAUTH,
            AUDIT_DAYS,
            EVENTS_DAYS,
            WebhookSettings.ALLOW_PRIVATE,
            WebhookSettings.CA_FILE,
            WebhookSettings.RETRY_SCHEDULE,
            LOG_FORMAT);

    /** Reads the environment and the command line, which takes precedence. */
    public static Settings read(Map<String, String> environment, List<String> commandLine) {
        var given = new HashMap<>(environment);
        given.putAll(Flags.read(commandLine, ALL));
        var providers = OAuthSettings.read(given);
        return new Settings(
                HOST.read(given),
                PORT.read(given),
                BASE_URL.find(given),
                MCP_URL.find(given),
                DATABASE_URL.find(given),
                POOL_SIZE.read(given),
                DATA_DIR.read(given),
                BOOTSTRAP_KEY.find(given),
                SECRETS_KEY.find(given),
                SECRETS_OTHER_KEYS.read(given),
                ALLOWED_ORIGINS.read(given),
                ALLOWED_HOSTS.read(given),
                RATE_LIMIT.read(given),
                STRANGER_LIMIT.read(given),
                TRUSTED_PROXIES.read(given),
                PLAN.read(given),
                providers,
                OAUTH_SURFACES.read(given),
                OAuthSettings.named(MCP_OAUTH.find(given), providers),
                AUDIT_DAYS.read(given),
                EVENTS_DAYS.read(given),
                WebhookSettings.read(given),
                LOG_FORMAT.read(given));
    }

    /** The table as text, a paragraph for each setting. */
    public static String help() {
        return ALL.stream().map(Settings::help).collect(Collectors.joining("\n", """
                Settings, as a flag or in the environment; the flag wins:

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

    /** The keys for secrets at rest. */
    public MasterKeys masterKeys() {
        return new MasterKeys(secretsKey, dataDir, secretsOtherKeys.toArray(MasterKey[]::new));
    }
}
