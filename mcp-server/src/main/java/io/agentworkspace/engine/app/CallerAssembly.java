package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.signin.AccessTokens;
import io.agentworkspace.engine.identity.signin.BrowserSessions;
import io.agentworkspace.engine.identity.signin.CredentialResolver;
import io.agentworkspace.engine.identity.signin.IdentityAssertions;
import io.agentworkspace.engine.identity.signin.IssuedTokens;
import io.agentworkspace.engine.identity.signin.ProviderHttp;
import io.agentworkspace.engine.identity.signin.SessionEndpoint;
import io.agentworkspace.engine.identity.signin.SignInEndpoint;
import io.agentworkspace.engine.identity.signin.SignInStore;
import io.agentworkspace.engine.identity.signin.SigningKeyStore;
import io.agentworkspace.engine.identity.signin.TokenGrantStore;
import io.agentworkspace.engine.identity.signin.UserAssertions;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.http.OwnPages;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who calls: keys, browser sessions and tokens, how people sign in, and the audit of what callers do. */
record CallerAssembly(
        KeyStore keys,
        AuditStore audit,
        BrowserSessions sessions,
        TokenGrantStore grants,
        CredentialResolver resolver,
        SessionEndpoint signIn,
        UserAssertions assertions,
        @Nullable ProtectedResource resource,
        @Nullable IdentityAssertions identities,
        Optional<FirstKey> firstKey) {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** @param keep takes what is closed with the engine */
    static CallerAssembly of(
            Settings settings,
            PublicAddresses published,
            Db db,
            CallerChanges watch,
            Vault vault,
            Clock clock,
            Consumer<AutoCloseable> keep,
            Housekeeping housekeeping) {
        var keys = new KeyStore(db, clock, watch);
        var embedded = settings.database().url() == null;
        var firstKey = new FirstStart(db, keys, clock)
                .run(settings, embedded ? settings.database().dataDir() : null);
        var audit = new AuditStore(db, Duration.ofDays(settings.retention().auditDays()));
        keep.accept(audit);
        var sessions = new BrowserSessions(db, keys, watch, clock);
        var signingKeys = new SigningKeyStore(db, vault, clock);
        var audience = List.of(published.baseUrl(), published.mcpUrl());
        var tokens = new AccessTokens(signingKeys, published.baseUrl(), audience, clock);
        var signIns = new SignInStore(db, audit);
        var grants = new TokenGrantStore(db, watch);
        var provider = new ProviderHttp();
        keep.accept(provider);
        var resource = resource(settings, published);
        var issued = issued(settings, resource, provider, signIns, grants, clock);
        var issuers = SignInEndpoint.issuers(settings.signIn().providers(), provider, clock);
        var surfaces = Set.copyOf(settings.signIn().surfaces());
        var providers = new SignInEndpoint(issuers, surfaces, published.baseUrl(), signIns, clock);
        housekeeping
                .every(SECOND, "writing the use of keys", keys.use()::flush)
                .every(SECOND, "writing the audit", () -> audit.flush(clock.instant()))
                .every(Duration.ofMinutes(1), "writing sessions", sessions::flush)
                .clearing("use of keys", keys.use()::purge)
                .clearing("audit", audit::purge)
                .clearing("sessions", sessions::purge)
                .clearing("sign-ins", signIns::purge)
                .clearing("grants of tokens", grants::purge)
                .clearing("signing keys", signingKeys::purge);
        return new CallerAssembly(
                keys,
                audit,
                sessions,
                grants,
                new CredentialResolver(keys, sessions, tokens, issued, resource),
                new SessionEndpoint(sessions, tokens, providers, audit, pages(published), clock),
                new UserAssertions(signingKeys, published.baseUrl(), clock),
                resource,
                resource == null ? null : new IdentityAssertions(resource, issuers, signIns, grants, clock),
                firstKey);
    }

    private static OwnPages pages(PublicAddresses published) {
        return OwnPages.of(List.of(URI.create(published.baseUrl()), URI.create(published.mcpUrl())));
    }

    /** Returns the MCP endpoint as a resource of its authorization server: a provider, or this server; null without one. */
    private static @Nullable ProtectedResource resource(Settings settings, PublicAddresses published) {
        var provider = settings.signIn().mcpProvider();
        if (provider == null && !settings.signIn().isBuiltin()) {
            return null;
        }
        var issuer = provider == null ? URI.create(published.baseUrl()) : provider.issuer();
        return new ProtectedResource(published.mcpUrl(), issuer, published.baseUrl());
    }

    /** Returns what accepts the tokens of the provider for MCP clients; null without one. */
    private static @Nullable IssuedTokens issued(
            Settings settings,
            @Nullable ProtectedResource resource,
            ProviderHttp http,
            SignInStore signIns,
            TokenGrantStore grants,
            Clock clock) {
        var provider = settings.signIn().mcpProvider();
        if (provider == null || resource == null) {
            return null;
        }
        var issuer = SignInEndpoint.issuers(List.of(provider), http, clock).getFirst();
        return new IssuedTokens(resource, issuer, signIns, grants, clock);
    }

    /** Counts how often the caches of credentials help. */
    void count(EngineMetrics figures) {
        figures.caches()
                .with("keys", keys.cache())
                .with("sessions", sessions.cache())
                .with("token_grants", grants.cache());
    }
}
