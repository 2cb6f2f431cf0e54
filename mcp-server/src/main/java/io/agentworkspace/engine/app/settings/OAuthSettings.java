package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.identity.signin.Provider;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The settings of sign-in providers: five for each, with its name in theirs. They come only from the environment. */
final class OAuthSettings {
    private static final String PREFIX = "ENGINE_OAUTH_";
    private static final Pattern NAME =
            Pattern.compile(PREFIX + "([A-Z0-9]{1,32})_(ISSUER|CLIENT_ID|CLIENT_SECRET|TENANT|EMAIL_DOMAINS)");
    private static final Pattern DOMAIN = Pattern.compile("[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?");
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private OAuthSettings() {}

    /** Returns whether a setting with this name is read, or refused, by this class. */
    static boolean isOne(String name) {
        return name.startsWith(PREFIX);
    }

    static List<Provider> read(Map<String, String> all) {
        var byProvider = new TreeMap<String, Map<String, String>>();
        for (var name : new TreeSet<>(all.keySet())) {
            if (name.startsWith(PREFIX) && !name.equals(SignInSettings.OAUTH_SURFACES.name())) {
                var parts = NAME.matcher(name);
                if (!parts.matches()) {
                    throw new InvalidSetting(
                            name
                                    + " must be ENGINE_OAUTH_<PROVIDER>_ISSUER, _CLIENT_ID, _CLIENT_SECRET, _TENANT or _EMAIL_DOMAINS");
                }
                byProvider
                        .computeIfAbsent(parts.group(1), _ -> new TreeMap<>())
                        .put(parts.group(2), all.getOrDefault(name, "").strip());
            }
        }
        var providers = new ArrayList<Provider>();
        byProvider.forEach((name, values) -> {
            values.values().removeIf(String::isEmpty);
            if (!values.isEmpty()) {
                providers.add(provider(name, values));
            }
        });
        return List.copyOf(providers);
    }

    /** Returns the provider that the MCP endpoint's setting names; null if it names none. */
    static @Nullable Provider named(@Nullable String name, List<Provider> providers) {
        if (name == null) {
            return null;
        }
        return providers.stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new InvalidSetting("%s must be %s, not '%s', which has no settings"
                        .formatted(SignInSettings.MCP_OAUTH.name(), SignInSettings.MCP_OAUTH.right(), name)));
    }

    private static Provider provider(String name, Map<String, String> values) {
        return new Provider(
                name.toLowerCase(Locale.ROOT),
                issuer(PREFIX + name + "_ISSUER", values.get("ISSUER")),
                required(PREFIX + name + "_CLIENT_ID", values.get("CLIENT_ID")),
                values.get("CLIENT_SECRET"),
                values.get("TENANT"),
                domains(PREFIX + name + "_EMAIL_DOMAINS", values.getOrDefault("EMAIL_DOMAINS", "")));
    }

    private static String required(String setting, @Nullable String value) {
        if (value == null) {
            throw new InvalidSetting(setting + " must be set, since other settings of this provider are set");
        }
        return value;
    }

    /** Returns the issuer exactly as written, since tokens name it so. */
    private static URI issuer(String setting, @Nullable String value) {
        try {
            var issuer = URI.create(required(setting, value));
            var isSecure = "https".equals(issuer.getScheme())
                    || ("http".equals(issuer.getScheme()) && LOOPBACK.contains(String.valueOf(issuer.getHost())));
            if (isSecure
                    && issuer.getHost() != null
                    && issuer.getRawUserInfo() == null
                    && issuer.getRawQuery() == null
                    && issuer.getRawFragment() == null) {
                return issuer;
            }
        } catch (IllegalArgumentException e) {
            // Refused below, like any other invalid address.
        }
        throw new InvalidSetting(
                setting + " must be an address such as https://accounts.example.com, not '" + value + "'");
    }

    private static Set<String> domains(String setting, String value) {
        var domains = new TreeSet<>(
                SettingParsers.listOf(text -> text.toLowerCase(Locale.ROOT)).apply(value));
        if (!domains.stream().allMatch(domain -> DOMAIN.matcher(domain).matches())) {
            throw new InvalidSetting(setting + " must be a list such as example.com,example.org, not '" + value + "'");
        }
        return domains;
    }
}
