package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.identity.dpop.DpopRefusal;
import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.http.FairShare;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.kernel.http.RateBuckets;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The routes of the authorization server. */
final class OAuthEndpoint extends Handler.Abstract {
    static final String AUTHORIZE = "/oauth/authorize";
    static final String TOKEN = "/oauth/token";
    static final String REGISTER = "/oauth/register";
    static final String REVOKE = "/oauth/revoke";

    /** What the page of the consent reads. */
    private static final String QUESTION = "/oauth/question";

    /** Where clients look that do not read the metadata. */
    private static final Map<String, String> SECOND =
            Map.of("/authorize", AUTHORIZE, "/token", TOKEN, "/register", REGISTER);

    private static final String METADATA = "/.well-known/oauth-authorization-server";
    private static final String OPEN_ID = "/.well-known/openid-configuration";
    private static final Set<String> PATHS = Set.of(AUTHORIZE, TOKEN, REGISTER, REVOKE, QUESTION, METADATA, OPEN_ID);
    private static final RequestRate REGISTRATIONS = new RequestRate(1, 20);

    private final ServerMetadata metadata;
    private final ProtectedResource resource;
    private final Clients clients;
    private final Consent consent;
    private final TokenIssuer tokens;
    private final RateBuckets<String> registrations;
    private final Handler pages;

    /** @param pages show the page of the consent */
    public OAuthEndpoint(
            ProtectedResource resource,
            Clients clients,
            Consent consent,
            TokenIssuer tokens,
            Clock clock,
            Handler pages) {
        this.pages = pages;
        this.metadata = new ServerMetadata(resource.issuer().toString());
        this.resource = resource;
        this.clients = clients;
        this.consent = consent;
        this.tokens = tokens;
        this.registrations = new RateBuckets<>(REGISTRATIONS, clock);
    }

    /** Returns whether a path is one of these routes. */
    static boolean serves(String path) {
        return PATHS.contains(path) || SECOND.containsKey(path);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        var path = path(request);
        try {
            switch (path) {
                case AUTHORIZE -> {
                    return authorize(request, response, callback);
                }
                case QUESTION -> {
                    require(request, response, "GET");
                    var authorization = AuthorizationRequest.of(Parameters.ofQuery(request), back(request), resource);
                    send(200, consent.question(authorization, person(request)), response, callback);
                }
                case TOKEN -> {
                    require(request, response, "POST");
                    var parameters = Parameters.ofForm(request);
                    var issued = tokens.issue(parameters, ClientLogin.basic(request), request, response.getHeaders());
                    send(200, issued, response, callback);
                }
                case REVOKE -> {
                    require(request, response, "POST");
                    tokens.revoke(Parameters.ofForm(request), ClientLogin.basic(request));
                    send(200, Json.object(), response, callback);
                }
                case REGISTER -> {
                    require(request, response, "POST");
                    var address = Request.getRemoteAddr(request);
                    registrations.take(FairShare.network(address), response.getHeaders());
                    send(201, clients.register(body(request), address), response, callback);
                }
                default -> {
                    require(request, response, "GET");
                    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "public, max-age=300");
                    send(200, path.startsWith(OPEN_ID) ? metadata.openId() : metadata.oauth(), response, callback);
                }
            }
        } catch (OAuthError error) {
            refuse(error, request, response, callback);
        } catch (DpopRefusal error) {
            refuse(new OAuthError(error.code(), error.why()), request, response, callback);
        }
        return true;
    }

    private static String path(Request request) {
        var path = Request.getPathInContext(request);
        return SECOND.getOrDefault(path, path);
    }

    /** Returns the addresses of the server that a client may name as the audience of what it signs. */
    static Set<String> addresses(String issuer) {
        return Set.of(issuer, issuer + TOKEN, issuer + "/token", issuer + REVOKE);
    }

    private void refuse(OAuthError error, Request request, Response response, Callback callback) {
        if (path(request).equals(AUTHORIZE)) {
            throw new Problem(
                    Failure.BAD_REQUEST, error.description()); // A page for people; their browser goes nowhere.
        }
        if (error.status() == HttpStatus.UNAUTHORIZED_401
                && request.getHeaders().contains(HttpHeader.AUTHORIZATION)) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Basic realm=\"engine\"");
        }
        var body = Json.object().put("error", error.code()).put("error_description", error.description());
        send(error.status(), body, response, callback);
    }

    /**
     * Shows the page; a POST is the user's decision on it. A browser is sent back with what is wrong only if the user has given this client
     * access before: anybody can register an address, and make a link that leads there.
     */
    private boolean authorize(Request request, Response response, Callback callback) throws Exception {
        if (request.getMethod().equals("POST")) {
            send(200, Json.object().put("location", decided(request)), response, callback);
            return true;
        }
        require(request, response, "GET");
        var parameters = Parameters.ofQuery(request);
        var caller = RequestContext.of(request::getAttribute).caller();
        // Back from a provider, the page still knows what it was opened for. A document is fetched only for a user.
        if (!parameters.isEmpty() && (caller != null || !Clients.isDocument(parameters.read("client_id")))) {
            var back = back(request);
            try {
                AuthorizationRequest.of(parameters, back, resource);
            } catch (OAuthError error) {
                if (caller == null || !consent.hasAllowed(caller, back.client())) {
                    throw error;
                }
                response.setStatus(HttpStatus.FOUND_302);
                response.getHeaders().put(HttpHeader.LOCATION, back.with(error, issuer()));
                callback.succeeded();
                return true;
            }
        }
        return pages.handle(request, response, callback);
    }

    private AuthorizationRequest.ReturnAddress back(Request request) {
        var parameters = Parameters.ofQuery(request);
        return AuthorizationRequest.ReturnAddress.of(
                parameters, clients.read(parameters.read("client_id"), parameters.find("redirect_uri")));
    }

    private String issuer() {
        return resource.issuer().toString();
    }

    /** Returns where the browser goes next. */
    private String decided(Request request) {
        var caller = person(request);
        var back = back(request);
        try {
            var authorization = AuthorizationRequest.of(Parameters.ofQuery(request), back, resource);
            var decision = body(request);
            if (!decision.path("allow").asBoolean(false)) {
                return back.with(new OAuthError("access_denied", "the user declined"), issuer());
            }
            var agent = Name.of(decision.path("agent").asString(""));
            var capabilities = decision.path("capabilities")
                    .valueStream()
                    .map(JsonNode::asString)
                    .toList();
            var code = consent.allow(authorization, agent, capabilities, caller, request);
            return back.with(Map.of("code", code), issuer());
        } catch (OAuthError error) {
            if (!consent.hasAllowed(caller, back.client())) {
                throw error;
            }
            return back.with(error, issuer());
        }
    }

    /** @throws Problem unless a person's browser is signed in: programs have other ways to get a key */
    private static Caller person(Request request) {
        var caller = RequestContext.of(request::getAttribute).caller();
        var credential = Credentials.presented(request.getHeaders());
        if (caller == null || !(credential.orElse(null) instanceof SessionSecret)) {
            throw Problem.unauthenticated(
                    "access is given in a browser that is signed in; a program creates a key with AK_Create");
        }
        return caller;
    }

    private static ObjectNode body(Request request) {
        return Json.readObject(BodyReader.read(request));
    }

    private static void require(Request request, Response response, String method) {
        if (!request.getMethod().equals(method)
                && !(method.equals("GET") && request.getMethod().equals("HEAD"))) {
            response.getHeaders().put(HttpHeader.ALLOW, method);
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "this route takes " + method);
        }
    }

    private static void send(int status, ObjectNode body, Response response, Callback callback) {
        new JsonResponse(status, JsonResponse.JSON, body).send(response, callback);
    }
}
