package io.agentworkspace.engine.mcp.doctor;

import io.agentworkspace.engine.mcp.wire.Revision;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Locale;
import java.util.Optional;

/** What can be wrong with how a client connects to the MCP endpoint, and how to correct it. Refusals by tools are not part of it. */
public enum HandshakeProblem {
    CONTENT_TYPE(
            "The body was not announced as plain JSON.",
            "Send POST with the header Content-Type: application/json, the body in UTF-8 and not compressed."),
    JSON(
            "The body is no JSON.",
            "Send one JSON-RPC 2.0 object, such as {\"jsonrpc\": \"2.0\", \"id\": \"1\", \"method\": \"tools/list\", \"params\": {}}."
                    + " In a shell, put it into single quotes."),
    MESSAGE(
            "The body is JSON, but no JSON-RPC 2.0 request.",
            "Send one object with jsonrpc \"2.0\", an id that is a string or an integer, a method and params. Arrays of several are"
                    + " for sessions of 2025-03-26 only."),
    TOO_LARGE("The body is too large.", "Send at most 1 MiB in a request."),
    HTTP_METHOD(
            "The client sent GET or something else where POST is expected.",
            "Some clients try this first and then go on, as the next handshake shows: then there is nothing to do. If none follows,"
                    + " choose the transport HTTP (also called Streamable HTTP) in the client; the older one, SSE, is not spoken here.",
            true),
    ADDRESS(
            "There is nothing at this address.",
            "The MCP endpoint is at /mcp: correct the url in the configuration.",
            true),
    ACCEPT(
            "The client asked for a stream without saying that it takes one.",
            "Send the header Accept: application/json, text/event-stream."),
    VERSION(
            "The client speaks a revision of the protocol that is not spoken here.",
            "Update the client, or let it ask for one of " + String.join(", ", Revision.words())
                    + ". In sessions, initialize may ask for any revision and is told which one is spoken."),
    META(
            "A request of 2026-07-28 does not say what each of them has to say about itself.",
            "Put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta of every"
                    + " request. A client of an older revision sends initialize first, and no header MCP-Protocol-Version before it."),
    HEADERS(
            "A header is missing, or differs from what the body says.",
            "MCP-Protocol-Version, Mcp-Method and, where the body has a name or uri, Mcp-Name must each come once and repeat the"
                    + " body. If the client sends them, a proxy on the way drops or changes them."),
    METHOD(
            "The client called a method that is not there.",
            "Use one that the note names. Under 2026-07-28 there is no initialize and no ping: server/discover is what a client"
                    + " begins with."),
    INITIALIZE(
            "initialize lacks something.",
            "Its params need protocolVersion (such as \"2025-11-25\"), capabilities (an object, it may be empty) and clientInfo."),
    SESSION(
            "The session is unknown, has ended or expired, or was begun with another credential.",
            "Send initialize again, without Mcp-Session-Id; most clients do so when they are restarted or reconnected."),
    SESSION_VERSION(
            "The client changed the revision of the protocol in the middle of its session.",
            "Send in MCP-Protocol-Version what the answer to initialize said, or begin anew with initialize."),
    SELECTION(
            "The client limits itself by a header X-MCP-… to something that there is not.",
            "Name what there is, as the note does, or leave the header out.",
            true),
    CONFIRM(
            "The header X-MCP-Confirm says something else than destructive.",
            "Send X-MCP-Confirm: destructive, so that the person is asked before something is destroyed; leave it out if nobody is to be asked."),
    TOOLSET(
            "The address names a toolset that there is not.",
            "Name one that there is, as the note does, or use /mcp for all tools.",
            true),
    ORIGIN(
            "A page of a foreign origin called, or a program that sends the header Origin as browsers do.",
            "Let the operator add the origin to ENGINE_ALLOWED_ORIGINS, or call from a program that sends no Origin."),
    HOST(
            "The request names a host that this service does not answer to.",
            "Use the address of the configuration, or let the operator add the name to ENGINE_ALLOWED_HOSTS.",
            true),
    KEY_MISTYPED(
            "The key came damaged: something is missing, added or mistyped.",
            "Copy the whole key again. If it cannot be found any more, rotate it with AK_Rotate and put the new one into the"
                    + " configuration.",
            true),
    KEY_REFUSED(
            "The key was refused.",
            "Put a key that works into the configuration: AK_Rotate gives this one a new secret, AK_Create makes another.",
            true),
    KEY_IN_ADDRESS(
            "The key came in the address, where it is stored and logged on its way.",
            "Send it in the header X-Api-Key, and rotate it with AK_Rotate: this one may have been seen.",
            true),
    CREDENTIAL(
            "The credential came in a way that cannot be understood.",
            "Send the key once, in the header X-Api-Key or as Authorization: Bearer.",
            true);

    private final String wrong;
    private final String advice;
    private final boolean configured;

    HandshakeProblem(String wrong, String advice) {
        this(wrong, advice, false);
    }

    /** @param configured whether a right configuration puts it right */
    HandshakeProblem(String wrong, String advice, boolean configured) {
        this.wrong = wrong;
        this.advice = advice;
        this.configured = configured;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static HandshakeProblem of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    String wrong() {
        return wrong;
    }

    String advice() {
        return advice;
    }

    boolean isConfigured() {
        return configured;
    }

    /** What a lane refused; nothing where the client is connected, and only this request was wrong. */
    public static Optional<HandshakeProblem> of(RpcError error) {
        return error.cause().map(HandshakeProblem::of);
    }

    /** What was refused before it came to a lane. */
    public static Optional<HandshakeProblem> of(Problem problem) {
        return problem.cause().map(HandshakeProblem::of).or(() -> of(problem.failure()));
    }

    private static HandshakeProblem of(Cause cause) {
        return switch (cause) {
            case ORIGIN -> ORIGIN;
            case HOST -> HOST;
            case KEY_MISTYPED -> KEY_MISTYPED;
            case CREDENTIAL_IN_QUERY -> KEY_IN_ADDRESS;
            case CREDENTIAL_AMBIGUOUS -> CREDENTIAL;
            case PATH -> ADDRESS;
            case MESSAGE -> MESSAGE;
            case METHOD -> METHOD;
            case INITIALIZE -> INITIALIZE;
            case META -> META;
            case HEADERS -> HEADERS;
            case VERSION -> VERSION;
            case SESSION -> SESSION;
            case SESSION_VERSION -> SESSION_VERSION;
            case ACCEPT -> ACCEPT;
            case TOOLSET -> TOOLSET;
            case SELECTION -> SELECTION;
            case CONFIRMATION -> CONFIRM;
        };
    }

    private static Optional<HandshakeProblem> of(Failure failure) {
        return switch (failure) {
            case UNSUPPORTED_MEDIA_TYPE -> Optional.of(CONTENT_TYPE);
            case MALFORMED_JSON -> Optional.of(JSON);
            case TOO_LARGE -> Optional.of(TOO_LARGE);
            case METHOD_NOT_ALLOWED -> Optional.of(HTTP_METHOD);
            case NOT_FOUND -> Optional.of(ADDRESS);
            case UNAUTHENTICATED -> Optional.of(KEY_REFUSED);
            default -> Optional.empty();
        };
    }
}
