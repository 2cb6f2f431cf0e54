package io.agentworkspace.engine.wire;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Wraps the gate of every server in the tests' process, and validates each message that passes /mcp. */
public final class Wire extends Handler.Wrapper {
    /** The environment variable of a started engine with the file into which it writes invalid messages. */
    static final String FAULTS = "WIRE_FAULTS";

    private static final String SESSION = "Mcp-Session-Id";
    private static final Set<Integer> WATCHED = ConcurrentHashMap.newKeySet();

    /** The revisions of sessions, whichever replica began them. */
    private static final Map<String, String> SESSIONS = new ConcurrentHashMap<>();

    private static final Set<String> CANCELLED = ConcurrentHashMap.newKeySet();

    public Wire(Handler gate) {
        super(gate);
    }

    @Override
    protected void doStart() throws Exception {
        var server = getServer();
        var errors = server.getErrorHandler();
        server.setErrorHandler((request, response, callback) -> errors.handle(
                request, isMcp(path(request)) ? new Received(new Sent(request), response) : response, callback));
        WATCHED.add(port());
        super.doStart();
    }

    @Override
    protected void doStop() throws Exception {
        WATCHED.remove(port());
        super.doStop();
    }

    private int port() {
        return ((NetworkConnector) getServer().getConnectors()[0]).getLocalPort();
    }

    private static String path(Request request) {
        var path = request.getHttpURI() == null ? null : request.getHttpURI().getCanonicalPath();
        return path == null ? "" : path;
    }

    private static boolean isMcp(String path) {
        return (path.equals("/mcp") || path.startsWith("/mcp/")) && !path.equals(McpAddress.CARD);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (!isMcp(path(request))) {
            return super.handle(request, response, callback);
        }
        var sent = new Sent(request);
        var received = new Received(sent, response);
        sent.streamedTo(received::streamed);
        return super.handle(sent, received, new Callback.Nested(callback) {
            @Override
            public void succeeded() {
                if (!isStream(request)) { // A stream outlives its request.
                    received.end();
                }
                super.succeeded();
            }

            @Override
            public void failed(Throwable failure) {
                received.end(failure);
                super.failed(failure);
            }
        });
    }

    private static boolean isStream(Request request) {
        return request.getAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE) != null;
    }

    /** Returns the environment for a process that validates its own messages. */
    public static Map<String, String> reportingHere() {
        return Map.of(FAULTS, Faults.file().toString());
    }

    /** Validates a response that a test received from a separate process. */
    public static void look(String url, Map<String, String> headers, byte[] body, byte[] answer) {
        var address = URI.create(url);
        if (isMcp(address.getPath()) && !WATCHED.contains(address.getPort()) && answer.length > 0) {
            var json = read(body);
            var response = read(answer);
            // An error without an id may come from a gate that has not read the body.
            var request = response.has("error") && !response.has("id") ? MissingNode.getInstance() : json;
            var inspection = new Inspection(book(headers::get, json), request, Faults.strict());
            Faults.report(inspection.answer(response), json, response);
        }
    }

    /** Records a cancellation by the client, which then expects no response. */
    static void cancelled(Request request, JsonNode body) {
        if (body.path("method").asString("").equals("notifications/cancelled")) {
            CANCELLED.add(inSession(request, body.at("/params/requestId")));
        }
    }

    static boolean isCancelled(Request request, JsonNode body) {
        return CANCELLED.contains(inSession(request, body.path("id")));
    }

    private static String inSession(Request request, JsonNode id) {
        return request.getHeaders().get(SESSION) + " " + id;
    }

    /** Records the revision of a session. */
    static void record(Response response, String revision) {
        var session = response.getHeaders().get(SESSION);
        if (session != null) {
            SESSIONS.put(session, revision);
        }
    }

    /** Returns the rules of the revision in force for a body with these headers. */
    static Rulebook book(UnaryOperator<String> headers, JsonNode body) {
        var said = headers.apply("MCP-Protocol-Version");
        if (body.at("/params/_meta").has("io.modelcontextprotocol/protocolVersion")
                || said != null && said.matches("\\d{4}-\\d\\d-\\d\\d") && said.compareTo(Rulebook.MODERN) >= 0) {
            return Rulebook.of(Rulebook.MODERN);
        }
        var session = headers.apply(SESSION);
        if (session == null) {
            return Rulebook.of(Rulebook.NOVEMBER_2025);
        }
        // The revision of a session from another process is known only from the client's header.
        var revision = SESSIONS.getOrDefault(session, said == null ? "" : said);
        return Rulebook.find(revision).orElseGet(() -> Rulebook.of(Rulebook.NOVEMBER_2025));
    }

    /** Returns a missing node if the bytes are not JSON. */
    static JsonNode read(byte[] json) {
        try {
            return Json.read(json);
        } catch (Problem problem) {
            return MissingNode.getInstance();
        }
    }

    static List<String> noMessage(String why) {
        return List.of("no message: " + why);
    }
}
