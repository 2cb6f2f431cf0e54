package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.identity.signin.Provider;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings for sign-in with OpenID providers.
 *
 * @param providers providers where people can also sign in
 * @param surfaces the surfaces that people can sign in from
 * @param mcpProvider the provider whose access tokens the MCP endpoint accepts; null: none
 * @param authorization who issues access tokens if no provider is named
 */
public record SignInSettings(
        List<Provider> providers,
        List<String> surfaces,
        @Nullable Provider mcpProvider,
        Authorization authorization) {
    /** The authorization server of the MCP endpoint. */
    public enum Authorization {
        BUILTIN,
        NONE
    }

    static final Setting<Authorization> AUTHORIZATION = Setting.of(
            "ENGINE_AUTHORIZATION",
            "builtin",
            "authorization server for MCP clients that know only OAuth: builtin, unless ENGINE_MCP_OAUTH names a provider; or none",
            "builtin or none",
            SettingParsers.oneOf(Authorization.class));

    static final Setting<List<String>> OAUTH_SURFACES = Setting.of(
            "ENGINE_OAUTH_SURFACES",
            "hub,cli",
            "surfaces where sign-in at a provider may start, comma-separated",
            "a list such as hub,cli",
            SettingParsers.listOf(SettingParsers::word));
    static final Setting<String> MCP_OAUTH = Setting.of(
            "ENGINE_MCP_OAUTH",
            null,
            "sign-in provider whose access tokens /mcp accepts",
            "the name of a provider, as in ENGINE_OAUTH_<PROVIDER>_ISSUER",
            text -> SettingParsers.word(text.toLowerCase(Locale.ROOT)));

    static SignInSettings read(Map<String, String> values) {
        var providers = OAuthSettings.read(values);
        return new SignInSettings(
                providers,
                OAUTH_SURFACES.read(values),
                OAuthSettings.named(MCP_OAUTH.find(values), providers),
                AUTHORIZATION.read(values));
    }

    /** Returns whether this server issues access tokens itself. */
    public boolean isBuiltin() {
        return mcpProvider == null && authorization == Authorization.BUILTIN;
    }
}
