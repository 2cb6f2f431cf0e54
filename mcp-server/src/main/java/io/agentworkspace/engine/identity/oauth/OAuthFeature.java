package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.dpop.DpopProofs;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.signin.SignInFeature;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import org.eclipse.jetty.server.Handler;

/** The feature of the authorization server. */
public final class OAuthFeature {
    private OAuthFeature() {}

    /**
     * @param http reads the documents that clients publish about themselves
     * @param proofs verifies that clients have the keys that they want tokens to be bound to
     * @param pages show the page of the consent
     * @return nothing, if another server issues the tokens for the MCP endpoint
     */
    public static Feature of(
            Db db,
            SignInFeature signIn,
            KeyStore keys,
            VettedClient http,
            DpopProofs proofs,
            ToolRunner runner,
            EventLog events,
            Handler pages,
            Clock clock) {
        var feature = new Feature().closing(http);
        var resource = signIn.resource();
        var identities = signIn.identities();
        if (resource == null || identities == null || !resource.isBuiltin()) {
            return feature;
        }
        var store = new ClientStore(db);
        var grants = new AccessGrantStore(db);
        var clients = new Clients(store, http, clock);
        var consent = new Consent(db, runner, grants, store, events, clock);
        var assertions = new AssertionGrant(db, runner, grants, identities, proofs, events);
        var tokens = new TokenIssuer(db, grants, assertions, clients, proofs, keys, resource, clock);
        return feature.endpoint(
                        OAuthEndpoint::serves, new OAuthEndpoint(resource, clients, consent, tokens, clock, pages))
                .background(work ->
                        work.clearing("clients of OAuth", store::purge).clearing("grants of OAuth", grants::purge));
    }
}
