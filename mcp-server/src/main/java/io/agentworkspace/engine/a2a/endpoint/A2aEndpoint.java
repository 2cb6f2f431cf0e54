package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.cards.AgentCards;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.AgentPlace;
import io.agentworkspace.engine.a2a.tasks.TaskQueries;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.HexFormat;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The endpoint of A2A 1.0: the cards, and {@code /a2a/{agent}} with both bindings. An agent that the caller may not see is not there, in the
 * same words as one that does not exist.
 */
final class A2aEndpoint extends Handler.Abstract {
    private final ToolRunner runner;
    private final AgentCards cards;
    private final TaskQueries queries;
    private final JsonRpcBinding rpc;
    private final HttpBinding http;
    private final boolean isPublic;

    /**
     * @param isPublic whether strangers may see the cards of public agents
     * @param streams end when the server stops
     */
    A2aEndpoint(
            ToolRunner runner,
            AgentCards cards,
            TaskQueries queries,
            JsonRpcBinding rpc,
            HttpBinding http,
            boolean isPublic,
            Hub<?> streams) {
        this.runner = runner;
        this.cards = cards;
        this.queries = queries;
        this.rpc = rpc;
        this.http = http;
        this.isPublic = isPublic;
        addBean(streams);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        var parsed = A2aAddress.parse(Request.getPathInContext(request));
        if (parsed.isEmpty()) {
            return false;
        }
        var address = parsed.get();
        if (address.rest().equals(A2aAddress.CARD)) {
            card(address, request, response, callback);
        } else if (request.getMethod().equals("POST")
                && (address.rest().isEmpty() || address.rest().equals("/tasks"))) {
            var whole = address.whole();
            var call = call(request);
            rpc.serve(request, response, callback, call, () -> place(call, whole));
        } else if (address.rest().isEmpty()) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            HttpBinding.refuse(
                    request,
                    response,
                    callback,
                    A2aError.of(new Problem(
                            Failure.METHOD_NOT_ALLOWED,
                            "this address takes POST with a JSON-RPC 2.0 object; its card is at "
                                    + A2aAddress.CARD.substring(1))));
        } else {
            var call = call(request);
            http.serve(request, response, callback, address, call, () -> place(call, address));
        }
        return true;
    }

    private AgentCall call(Request request) {
        var context = RequestContext.of(request::getAttribute);
        if (!Credentials.isNamed(request.getHeaders())) {
            throw Problem.unauthenticated(
                    "a browser's session is no credential of an agent: send an API key or an access token");
        }
        return new AgentCall(
                runner,
                context.identified().asProgram(),
                context.requestId(),
                AgentCall.source(
                        Request.getRemoteAddr(request), request.getHeaders().get(HttpHeader.USER_AGENT)),
                context.admitted().validity());
    }

    /** Returns the caller's place with the agent; null at the engine's own address. */
    private @Nullable AgentPlace place(AgentCall call, A2aAddress address) {
        var agent = address.agent();
        if (agent == null) {
            return null;
        }
        var name = ownName(call.caller(), agent).orElseThrow(A2aEndpoint::missing);
        try {
            return call.find(queries, name);
        } catch (A2aError refused) {
            if (AgentCall.isMissing(refused) || refused.problem() == null) {
                throw missing();
            }
            throw refused.problem();
        }
    }

    /** Returns the name of an agent that is written with its tenant or without; empty if it is another's, or no name. */
    private static Optional<String> ownName(Caller caller, String written) {
        var at = written.lastIndexOf('@');
        var name = at < 0 ? written : written.substring(0, at);
        var isOwn = at < 0 || Name.key(written.substring(at + 1)).equals(Name.key(caller.tenantName()));
        return isOwn
                        && name.length() <= 2 * Name.MAX
                        && Stream.of(name.split("/", -1))
                                .allMatch(part -> Name.broken(part).isEmpty())
                ? Optional.of(name)
                : Optional.empty();
    }

    private static Problem missing() {
        return new Problem(Failure.NOT_FOUND, "there is no agent at this address that you may see");
    }

    private void card(A2aAddress address, Request request, Response response, Callback callback) {
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "this address takes GET");
        }
        var agent = address.agent();
        var caller = Credentials.isNamed(request.getHeaders())
                ? RequestContext.of(request::getAttribute).caller()
                : null;
        var isForAll = agent == null || caller == null || ownName(caller, agent).isEmpty();
        var card = agent == null
                ? cards.engine(Stream.of())
                : isForAll
                        ? strangersCard(agent)
                        : cards.agent(
                                java.util.Objects.requireNonNull(place(call(request), address))
                                        .record(),
                                agent,
                                false);
        var headers = response.getHeaders();
        var tag = tag(card);
        headers.put(HttpHeader.CACHE_CONTROL, (isForAll ? "public" : "private") + ", max-age=300");
        headers.put(HttpHeader.ETAG, tag);
        headers.put(HttpHeader.VARY, "Authorization, X-Api-Key");
        if (request.getHeaders().contains(HttpHeader.IF_NONE_MATCH, tag)) {
            response.setStatus(HttpStatus.NOT_MODIFIED_304);
            callback.succeeded();
            return;
        }
        new JsonResponse(HttpStatus.OK_200, JsonResponse.JSON, card).send(response, callback);
    }

    /** Returns the card of a public agent, whose address has its tenant: {@code agent@tenant}. */
    private ObjectNode strangersCard(String written) {
        var at = written.lastIndexOf('@');
        if (!isPublic || at < 0) {
            throw missing();
        }
        var agent = cards.findPublic(written.substring(at + 1), written.substring(0, at))
                .orElseThrow(A2aEndpoint::missing);
        return cards.agent(agent, written, false);
    }

    /** Returns the same for the same card and key: the signatures differ each time. */
    private static String tag(ObjectNode card) {
        var plain = card.deepCopy();
        plain.remove("signatures");
        var text = Json.canonical(plain) + card.at("/signatures/0/protected").asString("");
        return "\"%s\"".formatted(HexFormat.of().formatHex(Sha256.of(text), 0, 16));
    }
}
