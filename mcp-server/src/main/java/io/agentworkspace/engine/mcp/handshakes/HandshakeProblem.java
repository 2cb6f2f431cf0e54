package io.agentworkspace.engine.mcp.handshakes;

import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Locale;
import java.util.Optional;

/**
 * The problems that a client can have when it connects to the MCP endpoint, and how to solve them.
 * Refusals by tools are not included.
 */
public enum HandshakeProblem {
    CONTENT_TYPE(
            "The request's Content-Type is not application/json, or its body is compressed.",
            "Send POST with the header Content-Type: application/json. The body is UTF-8, without compression."),
    JSON(
            "The body is not JSON.",
            "Send one JSON-RPC 2.0 object, such as {\"jsonrpc\": \"2.0\", \"id\": \"1\", \"method\": \"tools/list\", \"params\": {}}."
                    + " In a shell, put it into single quotes."),
    MESSAGE(
            "The body is JSON, but not a JSON-RPC 2.0 request.",
            "Send one object with jsonrpc \"2.0\", an id (a string or an integer), a method and params. Arrays of requests are"
                    + " for sessions of 2025-03-26 only."),
    TOO_LARGE("The body is too large.", "Send at most 1 MiB in a request."),
    HTTP_METHOD(
            "The client sent GET or something else where POST is expected.",
            "Some clients try this first. If another handshake follows, there is nothing to do. If none follows,"
                    + " choose the transport HTTP (also called Streamable HTTP) in the client. The older transport, SSE, is not supported.",
            true),
    ADDRESS(
            "There is nothing at this address.",
            "The MCP endpoint is at /mcp: correct the url in the configuration.",
            true),
    ACCEPT(
            "The client opened a stream without a matching Accept header.",
            "Send the header Accept: application/json, text/event-stream."),
    VERSION(
            "The engine does not support the client's protocol revision.",
            "Update the client, or let it request one of " + String.join(", ", ProtocolRevision.words())
                    + ". In a session, initialize may request any revision: its response names the one to use."),
    META(
            "A request of revision 2026-07-28 lacks a required entry in params._meta.",
            "Put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta of every"
                    + " request. A client of an older revision sends initialize first, and no header MCP-Protocol-Version before it."),
    HEADERS(
            "A header is missing, or differs from the body.",
            "MCP-Protocol-Version, Mcp-Method and, where the body has a name or uri, Mcp-Name must each come once and repeat the"
                    + " body. If the client sends them, a proxy drops or changes them."),
    METHOD(
            "The client called an unknown method.",
            "Use one that the note names. Revision 2026-07-28 has no initialize and no ping: a client begins with"
                    + " server/discover."),
    INITIALIZE(
            "A required parameter of initialize is missing.",
            "Its params need protocolVersion (such as \"2025-11-25\"), capabilities (an object, it may be empty) and clientInfo."),
    SESSION(
            "The session is unknown, has ended or expired, or belongs to another credential.",
            "Send initialize again, without Mcp-Session-Id. Most clients do so when you restart or reconnect them."),
    SESSION_VERSION(
            "The client changed the protocol revision during its session.",
            "Send the protocolVersion of the initialize response in MCP-Protocol-Version, or send initialize again."),
    SELECTION(
            "A header X-MCP-… names a tool or toolset that does not exist.",
            "Use one of the names in the note, or leave the header out.",
            true),
    CONFIRM(
            "The header X-MCP-Confirm has an unknown value.",
            "Send X-MCP-Confirm: destructive to ask the person before each destructive call. Leave it out to ask nobody."),
    TOOLSET(
            "The address names a toolset that does not exist.",
            "Use one of the toolsets in the note, or /mcp for the default tools.",
            true),
    ORIGIN(
            "The request's Origin is not allowed: it came from another site's page, or from a program that sends this header.",
            "Ask the operator to add the origin to ENGINE_ALLOWED_ORIGINS, or call from a program that sends no Origin."),
    HOST(
            "The request's host name is not one of this engine's.",
            "Use the address from the connect page, or ask the operator to add the name to ENGINE_ALLOWED_HOSTS.",
            true),
    KEY_MISTYPED(
            "The key is mistyped: a character is missing, added or changed.",
            "Copy the whole key again. If you no longer have it, rotate it with AK_Rotate and put the new key into the"
                    + " configuration.",
            true),
    KEY_REFUSED(
            "The key was refused.",
            "Put a working key into the configuration: AK_Rotate gives this key a new secret, AK_Create creates another.",
            true),
    KEY_IN_ADDRESS(
            "The key was in the address, where proxies and logs store it.",
            "Send it in the header X-Api-Key. Rotate it with AK_Rotate, since others may have seen it.",
            true),
    CREDENTIAL(
            "The credential has an unknown form.",
            "Send the key once, in the header X-Api-Key or as Authorization: Bearer.",
            true);

    private final String wrong;
    private final String advice;
    private final boolean configured;

    HandshakeProblem(String wrong, String advice) {
        this(wrong, advice, false);
    }

    /** @param configured whether a correct client configuration solves the problem */
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

    /** Returns the problem behind an error of a lane. Empty if the client is connected and only this request was wrong. */
    public static Optional<HandshakeProblem> of(RpcError error) {
        return error.cause().map(HandshakeProblem::of);
    }

    /** Returns the problem behind a refusal before the request reached a lane. */
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
            case UNKNOWN_SERVICE,
                    MISSING_FIELD,
                    INVALID_FIELD,
                    NO_CONTEXT,
                    NOT_PERMITTED,
                    ALREADY_EXISTS,
                    CONFLICT,
                    RULE_REFUSED,
                    IDEMPOTENCY_MISMATCH,
                    RATE_LIMITED,
                    QUOTA_EXCEEDED,
                    INTERNAL,
                    UNAVAILABLE,
                    BAD_REQUEST -> Optional.empty();
        };
    }
}
