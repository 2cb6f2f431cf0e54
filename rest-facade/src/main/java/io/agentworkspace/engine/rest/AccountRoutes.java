package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.accounts.UserAccounts;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The routes with which people connect accounts of their own at upstream servers. */
final class AccountRoutes {
    private static final String CONNECT = "/api/mcp/upstreams/{name}/connect";
    private static final String CALLBACK = "/oauth/upstreams/{name}/callback";
    private static final String DOCUMENT = "/oauth/upstreams/{name}/client.json";

    private final UserAccounts accounts;

    AccountRoutes(UserAccounts accounts) {
        this.accounts = accounts;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(CONNECT, this::read, AccountRoutes::ofRead),
                GatewayRoute.post(CONNECT, this::connect, AccountRoutes::ofConnect),
                GatewayRoute.delete(CONNECT, this::disconnect, AccountRoutes::ofDisconnect),
                GatewayRoute.get(CALLBACK, this::arrive, AccountRoutes::ofCallback)
                        .withAnyQuery(),
                GatewayRoute.get(DOCUMENT, this::document, AccountRoutes::ofDocument)
                        .withAnyQuery());
    }

    private Response read(ContainerRequestContext context) {
        return RestResponse.json(200, accounts.read(RestExchange.current().identified(), name(context)));
    }

    private Response connect(ContainerRequestContext context) {
        JsonBody.none(context);
        return unstored(
                RestResponse.json(200, accounts.connect(RestExchange.current().identified(), name(context))));
    }

    private Response disconnect(ContainerRequestContext context) {
        return RestResponse.json(200, accounts.disconnect(origin(), name(context)));
    }

    private Response arrive(ContainerRequestContext context) {
        var query = context.getUriInfo().getQueryParameters();
        var location = accounts.arrive(origin(), name(context), query);
        return unstored(Response.status(302).location(URI.create(location)).build());
    }

    private static UserAccounts.Origin origin() {
        var exchange = RestExchange.current();
        return new UserAccounts.Origin(exchange.identified(), exchange.source(), exchange.requestId());
    }

    private Response document(ContainerRequestContext context) {
        return Response.fromResponse(RestResponse.json(200, accounts.document(name(context))))
                .header(HttpHeaders.CACHE_CONTROL, "public, max-age=300")
                .build();
    }

    private static Response unstored(Response response) {
        return Response.fromResponse(response)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .build();
    }

    private static String name(ContainerRequestContext context) {
        return context.getUriInfo().getPathParameters().getFirst("name");
    }

    private static Operation ofRead() {
        return named("upstreamAccountRead", "Read the own account at a server", """
                        Whether the calling user has connected an account at an upstream server whose credential is user_oauth.""")
                .answers(
                        200,
                        "The account.",
                        UpstreamAccount.class,
                        Json.object()
                                .put("connected", true)
                                .put("url", "https://mcp.example.com")
                                .put("page", "https://engine.example.com/console/upstreams/github/connect")
                                .put("connected_at", "2026-01-05T09:00:00Z"))
                .problems(400, 401, 403, 404, 409, 429, 500, 503);
    }

    private static Operation ofConnect() {
        return ofPerson("upstreamAccountConnect", "Connect an account at a server", """
                        Begins to connect an account of the signed-in person at an upstream server: the browser goes to \
                        authorize_url, and comes back to this session within 10 minutes.""")
                .answers(
                        200,
                        "Where the browser goes.",
                        AccountDeparture.class,
                        Json.object()
                                .put(
                                        "authorize_url",
                                        "https://auth.example.com/authorize?response_type=code&client_id=…")
                                .put("expires_at", "2026-01-05T09:10:00Z"))
                .problems(400, 401, 403, 404, 409, 413, 415, 429, 500, 503);
    }

    private static Operation ofDisconnect() {
        return ofPerson("upstreamAccountDisconnect", "Disconnect an account at a server", """
                        Deletes the signed-in person's tokens for an upstream server, and revokes them there if its \
                        authorization server can.""")
                .answers(
                        200,
                        "It is disconnected.",
                        AccountDisconnected.class,
                        Json.object()
                                .put("connected", false)
                                .put("changed", true)
                                .put("revoked", true))
                .problems(400, 401, 403, 404, 409, 429, 500, 503);
    }

    private static Operation ofCallback() {
        return named("upstreamAccountCallback", "Come back from a server's authorization server", """
                        Where authorization servers of upstream servers send the browser; nothing for programs.""")
                .securedBy(Operation.SESSION)
                .parameter("query", "state", true, "As it was given to the authorization server.", text())
                .suchAs("9xK2…")
                .parameter("query", "code", false, "What is exchanged for tokens.", text())
                .parameter("query", "error", false, "Why nothing was connected.", text())
                .parameter("query", "iss", false, "Who the authorization server is (RFC 9207).", text())
                .answersNothing(302, "Connected, to the page of the console.")
                .returns(302, "Location", "Location")
                .problems(400, 401, 403, 404, 409, 429, 500, 503);
    }

    private static Operation ofDocument() {
        return named("upstreamClientDocument", "Read the document about the engine as a client", """
                        What authorization servers read whose clients are known by a document (client ID metadata documents).""")
                .open()
                .answers(200, "The document.", ClientDocument.class, documentExample())
                .problems(400, 401, 404, 429, 500);
    }

    private static ObjectNode documentExample() {
        var own = "https://engine.example.com/oauth/upstreams/github/";
        var document = Json.object()
                .put("client_id", own + "client.json")
                .put("client_name", "Agent Workspace Engine (github)")
                .put("client_uri", "https://engine.example.com");
        document.putArray("redirect_uris").add(own + "callback");
        document.putArray("grant_types").add("authorization_code").add("refresh_token");
        document.putArray("response_types").add("code");
        return document.put("token_endpoint_auth_method", "none");
    }

    private static Operation ofPerson(String id, String summary, String description) {
        return named(id, summary, description)
                .securedBy(Operation.SESSION)
                .parameter("header", "X-CSRF-Token", true, "The csrf_token of GET /api/auth/session.", text())
                .suchAs("Q3vN0mJ8tq1f…");
    }

    private static Operation named(String id, String summary, String description) {
        return new Operation(id, Tag.MCP, summary, description)
                .parameter("path", "name", true, "The upstream server's name.", text())
                .suchAs("github");
    }

    private static ObjectNode text() {
        return Json.object().put("type", "string");
    }

    record UpstreamAccount(
            @Doc("Whether an account is connected.") boolean connected,
            @Doc("The server's address, without its path.") String url,

            @Doc("The page of the console where the user connects one.")
            String page,

            @Doc("When it was connected.") @Nullable Instant connectedAt) {}

    record AccountDeparture(
            @Doc("Where the browser goes: a page of the server's authorization server.")
            String authorizeUrl,

            @Doc("When it must have come back.") Instant expiresAt) {}

    record AccountDisconnected(
            @Doc("Always false.") boolean connected,
            @Doc("Whether there was an account.") boolean changed,

            @Doc("Whether the authorization server confirmed that it revoked the tokens.")
            boolean revoked) {}

    record ClientDocument(
            @Doc("The address of this document.") String clientId,
            @Doc("The client's name.") String clientName,
            @Doc("The engine.") String clientUri,

            @Doc("Where browsers come back.") List<String> redirectUris,
            @Doc("How it gets tokens.") List<String> grantTypes,
            @Doc("What it requests.") List<String> responseTypes,

            @Doc(value = "It has no secret.", oneOf = "none")
            String tokenEndpointAuthMethod) {}
}
