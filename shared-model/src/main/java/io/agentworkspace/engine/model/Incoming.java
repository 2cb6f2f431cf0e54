package io.agentworkspace.engine.model;

/** The names under which the gate in front of both doors hands over what it found out about a request. */
public final class Incoming {
    /** Request attribute: the {@link Caller}; absent on public routes that were asked without a credential. */
    public static final String CALLER = "engine.caller";

    /** Request attribute beside the caller: a {@code BooleanSupplier} that tells whether its credential is still good; equal ones tell the same. */
    public static final String VALIDITY = "engine.validity";

    /** Request attribute beside the caller: a {@code Consumer<String>} that is told the client's name, where a door knows it. */
    public static final String CLIENT = "engine.client";

    /**
     * Request attribute beside the caller: a {@code Runnable} that counts one more call against the caller's rate, for a body that
     * holds several; throws a {@link Problem} where the rate does not allow it.
     */
    public static final String ANOTHER_CALL = "engine.another_call";

    /** Request attribute beside the caller: the secret of its session, where a browser's cookie proved it. */
    public static final String SESSION = "engine.session";

    /**
     * Request attribute: a {@link Problem}, where a browser's cookie proves the request but nothing shows that a page of this server
     * sent it. Only what reads may run. The gate sets it where it cannot tell by the route which tool is to run.
     */
    public static final String FORGERY = "engine.forgery";

    /** Request attribute: the request id, a string; always there. */
    public static final String REQUEST_ID = "engine.request_id";

    /**
     * Request attribute: a {@code Function<Problem, byte[]>} that makes of a refusal the page, in HTML, which a person's browser
     * shows; absent where a program asks.
     */
    public static final String REFUSAL_PAGE = "engine.refusal_page";

    /** Request attribute, set by the MCP door once it has read a request of JSON-RPC: the request's id, a JSON node. */
    public static final String MESSAGE_ID = "engine.message_id";

    /** Request attribute, set by the doors for the request log: the tool that ran, or the protocol method. */
    public static final String SERVICE = "engine.service";

    /** Request attribute, set by the doors once a tool has run: what its caller has left, a list of {@link Allowance}. */
    public static final String LIMITS = "engine.limits";

    /** The request id once more, for whoever logs below and is not handed the request; bound on the request's own thread. */
    public static final ScopedValue<String> CURRENT_ID = ScopedValue.newInstance();

    /** The caller once more, for whatever shares something out below; bound while a tool runs, and on the request's own thread. */
    public static final ScopedValue<Caller> CURRENT_CALLER = ScopedValue.newInstance();

    /** The largest request body, in bytes: 1 MiB (decisions, section 1). */
    public static final int MAX_BODY = 1 << 20;

    private Incoming() {}
}
