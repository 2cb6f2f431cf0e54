package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.AssertionClaims;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.http.OwnPages;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.rest.SignIn;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The feature of callers: browser sessions and tokens, and how people sign in.
 *
 * @param assertions issues tokens that assert to another authorization server who the calling user is
 * @param documents signs a document that the engine publishes, and returns the header and the signature of the JWS
 * @param resource the MCP endpoint as a resource of its authorization server; null without one
 * @param identities exchanges what an identity provider says for a grant; null without an authorization server
 */
public record SignInFeature(
        Callers resolver,
        SignIn endpoint,
        BiFunction<Caller, AssertionClaims, String> assertions,
        Function<byte[], ObjectNode> documents,
        @Nullable ProtectedResource resource,
        @Nullable IdentityAssertions identities,
        Feature feature) {
    /**
     * How people sign in.
     *
     * @param surfaces where an account may be created by signing in
     * @param mcpProvider who issues the tokens for the MCP endpoint
     * @param isBuiltin whether this server issues them, if no provider does
     */
    public record Config(
            List<Provider> providers,
            Set<String> surfaces,
            @Nullable Provider mcpProvider,
            boolean isBuiltin) {
        /** Returns the MCP endpoint as a resource of its authorization server: a provider, or this server; null without one. */
        private @Nullable ProtectedResource resource(PublicAddresses published) {
            if (mcpProvider == null && !isBuiltin) {
                return null;
            }
            var issuer = mcpProvider == null ? URI.create(published.baseUrl()) : mcpProvider.issuer();
            return new ProtectedResource(published.mcpUrl(), issuer, published.baseUrl());
        }
    }

    /** What signing in works with. */
    public record Parts(
            Db db, KeyStore keys, AuditStore audit, Vault vault, CallerChanges watch, PublicAddresses published) {}

    public static SignInFeature of(Parts parts, Config config, Clock clock) {
        var db = parts.db();
        var published = parts.published();
        var sessions = new BrowserSessions(db, parts.keys(), parts.watch(), clock);
        var signingKeys = new SigningKeyStore(db, parts.vault(), clock);
        var addresses = List.of(published.baseUrl(), published.mcpUrl());
        var tokens = new AccessTokens(signingKeys, published.baseUrl(), addresses, clock);
        var signIns = new SignInStore(db, parts.audit());
        var grants = new TokenGrantStore(db, parts.watch());
        var provider = new ProviderHttp();
        var resource = config.resource(published);
        var issued = config.mcpProvider() == null || resource == null
                ? null
                : new IssuedTokens(
                        resource,
                        SignInEndpoint.issuers(List.of(config.mcpProvider()), provider, clock)
                                .getFirst(),
                        signIns,
                        grants,
                        clock);
        var issuers = SignInEndpoint.issuers(config.providers(), provider, clock);
        var providers = new SignInEndpoint(issuers, config.surfaces(), published.baseUrl(), signIns, clock);
        var pages = OwnPages.of(addresses.stream().map(URI::create).toList());
        var feature = new Feature()
                .closing(provider)
                .background(work -> work.every(Duration.ofMinutes(1), "writing sessions", sessions::flush)
                        .clearing("sessions", sessions::purge)
                        .clearing("sign-ins", signIns::purge)
                        .clearing("grants of tokens", grants::purge)
                        .clearing("signing keys", signingKeys::purge))
                .metrics(metrics -> {
                    metrics.cache("sessions", sessions.cache());
                    metrics.cache("token_grants", grants.cache());
                });
        return new SignInFeature(
                new CredentialResolver(parts.keys(), sessions, tokens, issued, resource),
                new SessionSignIn(sessions, tokens, providers, parts.audit(), pages, clock),
                new UserAssertions(signingKeys, published.baseUrl(), clock)::issue,
                document -> signingKeys.sign(document, published.baseUrl() + "/.well-known/jwks.json"),
                resource,
                resource == null ? null : new IdentityAssertions(resource, issuers, signIns, grants, clock),
                feature);
    }
}
