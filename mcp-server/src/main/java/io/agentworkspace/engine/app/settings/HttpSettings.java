package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.kernel.http.TrustedProxies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the server listens, its public addresses, and the requests that it accepts.
 *
 * @param baseUrl public address of the service; null: the listening address
 * @param mcpUrl public address of the MCP endpoint; null: the listening address
 * @param rateLimit of each credential
 * @param strangerLimit of each address without a credential
 * @param drain how long a stopping engine still serves requests
 * @param hooks how long a hook of a coding agent may take
 * @param apps whether clients that show pages of MCP Apps get those of the engine
 */
public record HttpSettings(
        String host,
        int port,
        @Nullable String baseUrl,
        @Nullable String mcpUrl,
        List<String> allowedOrigins,
        List<String> allowedHosts,
        RateLimit rateLimit,
        RateLimit strangerLimit,
        List<String> trustedProxies,
        Duration drain,
        Duration hooks,
        boolean apps) {
    private static final Duration DRAIN = Duration.ofSeconds(3);
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d+){3}|\\[?::1]?");

    static final Setting<String> HOST = Setting.of(
            "ENGINE_HOST",
            "127.0.0.1",
            "address to listen on; 0.0.0.0 means all addresses",
            "a host name or an IP address",
            SettingParsers::host);
    static final Setting<Integer> PORT = Setting.of(
            "ENGINE_PORT",
            "8080",
            "port to listen on; 0 means any free port",
            "a number from 0 to 65535",
            SettingParsers.number(0, 65_535));
    static final Setting<String> BASE_URL = Setting.of(
            "ENGINE_BASE_URL",
            null,
            "public address, if clients use another one than it listens on",
            "an address such as https://engine.example.com or https://example.com/engine, whose path begins with none of the engine's own, such as /api",
            SettingParsers::webAddress);
    static final Setting<String> MCP_URL = Setting.of(
            "ENGINE_MCP_URL",
            null,
            "public address of the MCP endpoint, if it differs from the base URL",
            "an address such as https://mcp.example.com or https://example.com/engine, without the /mcp that clients add",
            SettingParsers::webAddress);
    static final Setting<List<String>> ALLOWED_ORIGINS = Setting.of(
            "ENGINE_ALLOWED_ORIGINS",
            "",
            "browser origins to allow besides the public addresses, comma-separated",
            "a list such as https://app.example.com,http://localhost:5173",
            SettingParsers.listOf(SettingParsers::origin));
    static final Setting<List<String>> ALLOWED_HOSTS = Setting.of(
            "ENGINE_ALLOWED_HOSTS",
            "",
            "host names to accept besides those of the public addresses, comma-separated",
            "a list such as engine.internal,10.0.0.7",
            SettingParsers.listOf(SettingParsers::host));
    static final Setting<RateLimit> RATE_LIMIT = Setting.of(
            "ENGINE_RATE_LIMIT",
            "200/s burst 400",
            "how many requests each key may send; off means no limit",
            "a rate such as '200/s burst 400' or '200/s', or 'off'",
            SettingParsers::rate);
    static final Setting<RateLimit> STRANGER_LIMIT = Setting.of(
            "ENGINE_STRANGER_LIMIT",
            "20/s burst 200",
            "how many requests each address may send without a valid credential, separately for public reads and failures; off means no limit",
            "a rate such as '20/s burst 200' or '20/s', or 'off'",
            SettingParsers::rate);
    static final Setting<List<String>> TRUSTED_PROXIES = Setting.of(
            "ENGINE_TRUSTED_PROXIES",
            "",
            "proxies that may report client addresses in X-Forwarded-For or Forwarded, comma-separated",
            "a list of addresses and networks, such as 10.0.0.0/8,192.168.1.2",
            SettingParsers.listOf(TrustedProxies::checked));

    static final Setting<Duration> DRAIN_SECONDS = Setting.of(
            "ENGINE_DRAIN_SECONDS",
            null,
            "seconds to serve requests after SIGTERM, until load balancers notice; by default 3, or 0 on a loopback address without a public one",
            "a number from 0 to 300",
            text -> Duration.ofSeconds(SettingParsers.number(0, 300).apply(text)));

    static final Setting<Duration> HOOK_MILLIS = Setting.of(
            "ENGINE_HOOK_MILLIS",
            "300",
            "milliseconds within which a hook of a coding agent is answered; later, its answer is empty",
            "a number from 10 to 60000",
            text -> Duration.ofMillis(SettingParsers.number(10, 60_000).apply(text)));

    static final Setting<Boolean> APPS = Setting.of(
            "ENGINE_MCP_APPS",
            "on",
            "whether clients that show pages of MCP Apps get pages with the results of tools",
            "on or off",
            SettingParsers::onOrOff);

    /** A load balancer reaches the engine at another address than loopback, or clients reach the load balancer at a public one. */
    private static Duration drain(Map<String, String> values) {
        var set = DRAIN_SECONDS.find(values);
        if (set != null) {
            return set;
        }
        var isBalanced = BASE_URL.find(values) != null
                || MCP_URL.find(values) != null
                || !LOOPBACK.matcher(HOST.read(values)).matches();
        return isBalanced ? DRAIN : Duration.ZERO;
    }

    static HttpSettings read(Map<String, String> values) {
        return new HttpSettings(
                HOST.read(values),
                PORT.read(values),
                BASE_URL.find(values),
                MCP_URL.find(values),
                ALLOWED_ORIGINS.read(values),
                ALLOWED_HOSTS.read(values),
                RATE_LIMIT.read(values),
                STRANGER_LIMIT.read(values),
                TRUSTED_PROXIES.read(values),
                drain(values),
                HOOK_MILLIS.read(values),
                APPS.read(values));
    }
}
