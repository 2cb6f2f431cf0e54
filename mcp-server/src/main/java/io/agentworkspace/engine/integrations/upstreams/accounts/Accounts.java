package io.agentworkspace.engine.integrations.upstreams.accounts;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore.Departure;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore.Key;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.integrations.upstreams.client.UserTokens;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.model.accounts.UserAccounts;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * How a person connects an account of their own at an upstream server: by OAuth's code flow with PKCE. It begins in a browser that is
 * signed in, continues at the authorization server, and returns to the same session, once.
 */
public final class Accounts implements UserAccounts {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,19}");
    private static final Pattern ERROR = Pattern.compile("[a-z_]{1,40}");
    private static final int LONGEST = 4_096;

    private final AccountStore store;
    private final TokenEndpoint endpoint;
    private final Discovery discovery;
    private final Registration registration;
    private final ProviderHttp http;
    private final UserServers servers;
    private final AuditStore audit;
    private final String baseUrl;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final Set<Key> busy = ConcurrentHashMap.newKeySet();

    /**
     * What accounts are connected with.
     *
     * @param http reaches authorization servers
     * @param baseUrl the address of this server for browsers
     */
    public record Parts(AccountStore store, VettedClient http, AuditStore audit, String baseUrl, Clock clock) {}

    public Accounts(Parts parts, UserServers servers) {
        this.store = parts.store();
        this.clock = parts.clock();
        this.audit = parts.audit();
        this.baseUrl = parts.baseUrl();
        this.servers = servers;
        this.http = new ProviderHttp(parts.http());
        this.endpoint = new TokenEndpoint(http);
        this.discovery = new Discovery(http);
        this.registration = new Registration(http, store, baseUrl, clock);
    }

    /** Returns the tokens of the accounts. */
    public static UserTokens tokens(Parts parts) {
        return new AccountTokens(
                parts.store(), new TokenEndpoint(new ProviderHttp(parts.http())), parts.baseUrl(), parts.clock());
    }

    /**
     * Adds the work in the background.
     *
     * @param connections end the sessions of a user whose account has changed
     */
    public static Feature in(Feature feature, AccountStore store, Connections connections) {
        return feature.background(work -> work.clearing("connections to accounts of servers", store::purge))
                .listener(new DatabaseSignals.Listener() {
                    @Override
                    public void received(DatabaseSignals.Signal signal) {
                        if (signal.k().equals(AccountStore.CHANGED) && signal.u() != null) {
                            signal.u()
                                    .forEach(user -> connections.forget(
                                            signal.t(), signal.n().getFirst(), user));
                        }
                    }

                    @Override
                    public void gap() {
                        connections.forgetAccounts();
                    }
                });
    }

    /** Returns the address of the page where a user connects an account. */
    public static String page(String baseUrl, String upstream) {
        return "%s/console/upstreams/%s/connect".formatted(baseUrl, upstream);
    }

    @Override
    public ObjectNode read(Caller caller, String upstream) {
        var account = connected(caller, upstream);
        var url = account.isPresent()
                ? URI.create(account.get().url())
                : target(caller, upstream).url();
        var answer = Json.object()
                .put("connected", account.isPresent())
                .put("url", "%s://%s".formatted(url.getScheme(), url.getRawAuthority()))
                .put("page", page(baseUrl, upstream));
        account.ifPresent(found -> answer.set("connected_at", Json.valueTree(found.at())));
        return answer;
    }

    @Override
    public ObjectNode connect(Caller caller, String upstream) {
        checkPerson(caller, upstream);
        var target = target(caller, upstream);
        var key = Key.of(target, caller.user());
        if (!busy.add(key)) {
            throw Problem.rateLimited("this account is being connected already: wait until that has an answer", SOON);
        }
        try {
            return departing(caller, target);
        } catch (UpstreamFailure e) {
            throw Problem.unavailable(
                    "the authorization server of '%s' cannot be used: %s".formatted(target.name(), e.words()), SOON);
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            busy.remove(key);
        }
    }

    private ObjectNode departing(Caller caller, Target target) throws InterruptedException {
        var server = discovery.of(target);
        var client = registration.of(target, server);
        var state = secret();
        var verifier = secret();
        var connecting = new Connecting(
                server.issuer(),
                server.namesItself(),
                server.token().toString(),
                server.revoke() == null ? null : server.revoke().toString(),
                client,
                server.resource(),
                verifier,
                target.url().toString(),
                target.installed(),
                target.credential());
        var expires = clock.instant().plus(PATIENCE);
        store.begin(id(state), new Departure(Key.of(target, caller.user()), caller.principal(), connecting), expires);
        var parameters = new LinkedHashMap<String, String>();
        parameters.put("response_type", "code");
        parameters.put("client_id", client.id());
        parameters.put("redirect_uri", registration.redirect(target.name()));
        if (server.scope() != null) {
            parameters.put("scope", server.scope());
        }
        parameters.put("state", state);
        parameters.put("code_challenge", encoded(Sha256.of(verifier)));
        parameters.put("code_challenge_method", "S256");
        parameters.put("resource", server.resource());
        var address = server.authorize();
        var answer = Json.object()
                .put(
                        "authorize_url",
                        address + (address.getRawQuery() == null ? "?" : "&") + ProviderHttp.form(parameters));
        answer.set("expires_at", Json.valueTree(expires));
        return answer;
    }

    @Override
    public String arrive(Origin origin, String upstream, Map<String, List<String>> query) {
        var caller = origin.caller();
        checkPerson(caller, upstream);
        var state = only(query, "state").orElse("");
        var departure = store.take(caller.tenant(), id(state), clock.instant())
                .filter(one -> one.key().upstream().equals(upstream))
                .filter(one -> one.key().user() == caller.user())
                .filter(one -> one.session().equals(caller.principal()))
                .orElseThrow(() -> badRequest(
                        "this connection was not begun in this session, has taken more than 10 minutes, or is over already; begin again at "
                                + page(baseUrl, Name.shortened(upstream))));
        var connecting = departure.connecting();
        checkIssuer(connecting, only(query, "iss").orElse(null), upstream);
        var target = target(caller, upstream);
        if (!target.url().toString().equals(connecting.url())
                || !target.installed().equals(connecting.installed())
                || !target.credential().equals(connecting.credential())) {
            throw changed(target);
        }
        only(query, "error").ifPresent(error -> {
            throw new Problem(
                    Failure.NOT_PERMITTED,
                    "the authorization server of '%s' did not connect your account%s; try again at %s"
                            .formatted(
                                    upstream,
                                    ERROR.matcher(error).matches() ? ": " + error : "",
                                    page(baseUrl, upstream)));
        });
        var code = only(query, "code")
                .filter(text -> !text.isEmpty() && text.length() <= LONGEST)
                .orElseThrow(() -> badRequest("the authorization server sent no code back; begin again"));
        redeem(origin, target, connecting, code);
        return page(baseUrl, upstream);
    }

    /** Refuses the response of another authorization server (RFC 9207). */
    private static void checkIssuer(Connecting connecting, @Nullable String issuer, String upstream) {
        if (issuer == null ? connecting.namesItself() : !AuthorizationServer.isSame(issuer, connecting.issuer())) {
            throw badRequest(
                    "the answer is not from the authorization server of '%s', so nothing was connected; begin again, and tell an admin if it happens again"
                            .formatted(upstream));
        }
    }

    private void redeem(Origin origin, Target target, Connecting connecting, String code) {
        var caller = origin.caller();
        try {
            var issued = endpoint.redeem(
                    http.parse("token_endpoint", connecting.token()),
                    connecting.client(),
                    code,
                    registration.redirect(target.name()),
                    connecting.verifier(),
                    connecting.resource());
            var grant = new Grant(
                    issued.access(),
                    issued.refresh(),
                    connecting.token(),
                    connecting.revoke(),
                    connecting.client(),
                    connecting.resource());
            var sealed = store.sealed(target, caller.user(), grant);
            var now = clock.instant();
            var isStored = false;
            try {
                audit.noting(caller.tenant(), entry(AuditEvent.ACCOUNT_CONNECTED, origin, target.name()), () -> {
                    if (!store.connect(target, caller.user(), sealed, issued.renewAt(now), now)) {
                        throw changed(target);
                    }
                });
                isStored = true;
            } finally {
                if (!isStored) {
                    endpoint.revoke(grant);
                }
            }
        } catch (TokenEndpoint.Refused e) {
            if (e.error().equals("invalid_client")) {
                store.forgetClient(target.tenant(), target.name(), connecting.issuer());
            }
            throw badRequest("the authorization server of '%s' issued no tokens: %s; begin again at %s"
                    .formatted(target.name(), e.error(), page(baseUrl, target.name())));
        } catch (UpstreamFailure e) {
            throw Problem.unavailable(
                    "the authorization server of '%s' cannot be used: %s".formatted(target.name(), e.words()), SOON);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    @Override
    public ObjectNode disconnect(Origin origin, String upstream) {
        var caller = origin.caller();
        checkPerson(caller, upstream);
        var isRevoked = false;
        var isThere = connected(caller, upstream).isPresent();
        if (isThere) {
            isRevoked = ended(origin, upstream);
        } else {
            target(caller, upstream);
        }
        return Json.object().put("connected", false).put("changed", isThere).put("revoked", isRevoked);
    }

    private boolean ended(Origin origin, String upstream) {
        var caller = origin.caller();
        var ended = new AtomicReference<@Nullable Grant>();
        audit.noting(
                caller.tenant(),
                entry(AuditEvent.ACCOUNT_DISCONNECTED, origin, upstream),
                () -> ended.set(store.end(new Key(caller.tenant(), upstream, caller.user()))
                        .orElse(null)));
        var grant = ended.get();
        try {
            return grant != null && endpoint.revoke(grant);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** Returns the caller's account at a server, even if the caller may not use that any more. */
    private Optional<AccountStore.Connected> connected(Caller caller, String upstream) {
        return NAME.matcher(upstream).matches()
                ? store.connected(new Key(caller.tenant(), upstream, caller.user()))
                : Optional.empty();
    }

    @Override
    public ObjectNode document(String upstream) {
        if (!NAME.matcher(upstream).matches()) {
            throw Problem.notFound("upstream", Name.shortened(upstream), List.of());
        }
        return registration.document(upstream);
    }

    /** @throws Problem unless the server has accounts of users, and the caller may use it or manage it */
    private Target target(Caller caller, String upstream) {
        var target = servers.find(caller, upstream)
                .orElseThrow(() -> new Problem(
                        Failure.NOT_FOUND,
                        "there is no upstream server '%s' here that you may use".formatted(Name.shortened(upstream))));
        if (!target.credential().hasAccounts()) {
            throw Problem.conflict(
                    "the upstream server '%s' has a credential of the kind %s: nobody connects an account of their own there"
                            .formatted(target.name(), target.credential().kind()));
        }
        return target;
    }

    /** @throws Problem unless a person's browser is signed in: a program could connect an account that is not its user's */
    private void checkPerson(Caller caller, String upstream) {
        if (!caller.isPerson() || !caller.principal().startsWith(SessionSecret.PRINCIPAL)) {
            throw Problem.notPermitted(
                    "an account is connected and disconnected by its person, in a browser that is signed in: open %s"
                            .formatted(page(baseUrl, Name.shortened(upstream))));
        }
    }

    private AuditEntry entry(AuditEvent event, Origin origin, String upstream) {
        return AuditEntry.event(
                event,
                clock.instant(),
                AuditEntry.Actor.of(origin.caller()),
                new AuditEntry.Subject("upstream", upstream, null),
                origin.source(),
                origin.requestId());
    }

    /** @throws Problem {@code bad_request} if it was sent more than once */
    private static Optional<String> only(Map<String, List<String>> query, String parameter) {
        var values = query.getOrDefault(parameter, List.of());
        if (values.size() > 1) {
            throw badRequest("the parameter %s came %d times; send it once".formatted(parameter, values.size()));
        }
        return values.stream().findFirst();
    }

    private String secret() {
        var bytes = new byte[32];
        random.nextBytes(bytes);
        return encoded(bytes);
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String id(String state) {
        return HexFormat.of().formatHex(Sha256.of(state));
    }

    private static Problem changed(Target target) {
        return Problem.conflict("the upstream server '%s' was changed meanwhile, so nothing was connected; begin again"
                .formatted(target.name()));
    }

    private static Problem badRequest(String note) {
        return new Problem(Failure.BAD_REQUEST, note);
    }

    private static Problem interrupted() {
        Thread.currentThread().interrupt();
        return Problem.unavailable("the request was interrupted; try again", SOON);
    }
}
