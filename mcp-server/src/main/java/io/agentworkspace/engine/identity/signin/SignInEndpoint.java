package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs in with a provider by OpenID Connect's code flow with PKCE. It begins here, continues at the provider, and
 * returns to the callback in the same browser, once.
 */
final class SignInEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(SignInEndpoint.class);
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Pattern ERROR = Pattern.compile("[a-z_]{1,40}");
    private static final int LONGEST_CODE = 2_048;

    private final Map<String, Issuer> issuers = new LinkedHashMap<>();
    private final Set<String> surfaces;
    private final String baseUrl;
    private final SignInStore store;
    private final Clock clock;
    private final TenantMapping mapping;
    private final IdTokens tokens;
    private final SecureRandom random = new SecureRandom();

    /** @param baseUrl the address of this server for browsers, to which providers redirect */
    public SignInEndpoint(
            Collection<Issuer> providers, Set<String> surfaces, String baseUrl, SignInStore store, Clock clock) {
        providers.forEach(issuer -> issuers.put(issuer.provider().name(), issuer));
        this.surfaces = Set.copyOf(surfaces);
        this.baseUrl = baseUrl;
        this.store = store;
        this.clock = clock;
        this.mapping = new TenantMapping(store);
        this.tokens = new IdTokens(clock);
    }

    /** Returns the configured providers. */
    public static List<Issuer> issuers(Collection<Provider> providers, ProviderHttp http, Clock clock) {
        return providers.stream()
                .map(provider -> new Issuer(provider, http, clock))
                .toList();
    }

    List<String> names() {
        return List.copyOf(issuers.keySet());
    }

    /** @param header sets the cookie with which the browser returns */
    record Leaving(String location, String header) {}

    /** The signed-in user, and where the browser goes next. */
    record Arrived(long tenant, long user, String name, String location) {}

    Leaving start(Request request, String name) {
        var issuer = issuer(name);
        var surface = only(request, "surface").orElse("");
        if (!surfaces.contains(surface)) {
            throw badRequest("surface must be one of "
                    + String.join(", ", surfaces.stream().sorted().toList()));
        }
        var returnTo = ReturnPath.checked(only(request, "return_to").orElse("/"));
        var secret = BrowserSecret.generate(random);
        var location = location(issuer, secret);
        store.begin(
                secret.id(),
                new SignInStore.OpenSignIn(name, surface, returnTo),
                clock.instant().plus(PATIENCE));
        return new Leaving(location, secret.set(PATIENCE.toSeconds()));
    }

    private String location(Issuer issuer, BrowserSecret secret) {
        var parameters = new LinkedHashMap<String, String>();
        parameters.put("response_type", "code");
        parameters.put("client_id", issuer.provider().clientId());
        parameters.put("redirect_uri", callback(issuer));
        parameters.put("scope", "openid email profile");
        parameters.put("state", secret.state());
        parameters.put("nonce", secret.nonce());
        parameters.put("code_challenge", secret.challenge());
        parameters.put("code_challenge_method", "S256");
        var address = callProvider(issuer, issuer::metadata).authorization();
        return address + (address.getRawQuery() == null ? "?" : "&") + ProviderHttp.encoded(parameters);
    }

    private String callback(Issuer issuer) {
        return "%s/api/auth/oauth/%s/callback"
                .formatted(baseUrl, issuer.provider().name());
    }

    /** Serves the callback, which works once, whatever its result: its row is taken before anything else is checked. */
    Arrived finish(Request request, String name) {
        try {
            return arrived(request, name);
        } catch (Problem problem) {
            LOG.atWarn()
                    .addKeyValue(
                            "request_id",
                            RequestContext.of(request::getAttribute).requestId())
                    .log("a sign-in at the provider {} was refused: {}", logged(name), logged(problem.note()));
            throw problem;
        }
    }

    /** Returns the text for the log, on one line and truncated. */
    static String logged(String text) {
        return Excerpt.of(text.replaceAll("[\\p{Cc}\\p{Cs}]", "?"), 300);
    }

    private Arrived arrived(Request request, String name) {
        var issuer = issuer(name);
        var secret = BrowserSecret.of(request.getHeaders()).orElseThrow(SignInEndpoint::notBegun);
        var signIn = store.take(secret.id(), clock.instant())
                .filter(one -> one.provider().equals(name))
                .filter(_ -> BrowserSecret.same(
                        secret.state(), only(request, "state").orElse("")))
                .orElseThrow(SignInEndpoint::notBegun);
        var returnTo = ReturnPath.checked(signIn.returnTo());
        checkIssuer(issuer, only(request, "iss").orElse(null));
        only(request, "error").ifPresent(error -> {
            LOG.warn(
                    "the provider {} refused a sign-in: {} {}",
                    name,
                    logged(error),
                    logged(only(request, "error_description").orElse("")));
            throw refused("the provider '%s' did not sign you in%s"
                    .formatted(name, ERROR.matcher(error).matches() ? ": " + error : ""));
        });
        var code = only(request, "code").filter(text -> !text.isEmpty() && text.length() <= LONGEST_CODE);
        var user = user(
                RequestOrigin.of(request, clock),
                issuer,
                secret,
                code.orElseThrow(() -> badRequest("the provider sent no code back; sign in again")));
        return new Arrived(user.tenant(), user.id(), user.name(), baseUrl + below(returnTo));
    }

    /** Returns a path of a page without the path of the public address, which pages know as part of theirs. */
    private String below(String returnTo) {
        var path = URI.create(baseUrl).getRawPath();
        return !path.isEmpty() && returnTo.startsWith(path + "/") ? returnTo.substring(path.length()) : returnTo;
    }

    /** Refuses the response of another provider (RFC 9207). */
    private static void checkIssuer(Issuer issuer, @Nullable String issuerName) {
        var mustCome = callProvider(issuer, issuer::metadata).namesItself();
        if (issuerName == null
                ? mustCome
                : !issuerName.equals(issuer.provider().issuer().toString())) {
            throw badRequest("the answer is not from the provider that was asked; sign in again");
        }
    }

    private TenantMapping.MappedUser user(RequestOrigin visit, Issuer issuer, BrowserSecret secret, String code) {
        return callProvider(issuer, () -> {
            var answer = issuer.redeem(code, secret.verifier(), callback(issuer))
                    .orElseThrow(
                            () -> badRequest("the provider does not know this code, or not any more; sign in again"));
            var claims = tokens.read(issuer, answer.path("id_token").asString(""), secret.nonce())
                    .orElseThrow(() -> refused("what the provider says of you cannot be believed; sign in again"));
            return mapping.user(
                    visit, issuer, claims, answer.path("access_token").asString(""));
        });
    }

    /** A request to a provider. */
    @FunctionalInterface
    private interface Question<T> {
        T send() throws ProviderHttp.Failed;
    }

    private static <T> T callProvider(Issuer issuer, Question<T> question) {
        try {
            return question.send();
        } catch (ProviderHttp.Failed e) {
            var name = issuer.provider().name();
            LOG.warn("the sign-in provider {} failed: {}", name, e.getMessage());
            throw Problem.unavailable(
                    "the sign-in provider '%s' cannot be reached or sent an invalid response; try again shortly"
                            .formatted(name),
                    RETRY);
        }
    }

    private Issuer issuer(String name) {
        return Optional.ofNullable(issuers.get(name))
                .orElseThrow(() -> Problem.notFound("sign-in provider", name, names()));
    }

    /** @throws Problem {@code bad_request} if it was sent more than once */
    private static Optional<String> only(Request request, String parameter) {
        var values = parameters(request).getValuesOrEmpty(parameter);
        if (values.size() > 1) {
            throw badRequest("the parameter %s came %d times; send it once".formatted(parameter, values.size()));
        }
        return values.stream().findFirst();
    }

    private static Fields parameters(Request request) {
        try {
            return Request.extractQueryParameters(request);
        } catch (RuntimeException e) {
            throw badRequest("the query is not UTF-8 in percent-encoding");
        }
    }

    private static Problem notBegun() {
        return badRequest("""
                this sign-in was not begun in this browser, has taken more than 10 minutes, or is over already; begin again at \
                /api/auth/oauth/{idp}/start""");
    }

    private static Problem badRequest(String note) {
        return new Problem(Failure.BAD_REQUEST, note);
    }

    private static Problem refused(String note) {
        return new Problem(Failure.NOT_PERMITTED, note);
    }
}
