package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Problem;

/** The request attributes in which the gate in front of both endpoints passes on what it found out about a request. */
public final class RequestAttributes {
    /** Request attribute: the {@link Caller}; absent on public routes without a credential. */
    public static final String CALLER = "engine.caller";

    /**
     * Request attribute, set together with the caller: a {@code BooleanSupplier} that returns whether the credential
     * is still valid. Equal suppliers return the same.
     */
    public static final String VALIDITY = "engine.validity";

    /**
     * Request attribute, set together with the caller: a {@code Consumer<String>} that receives the client's name, if
     * the endpoint knows it.
     */
    public static final String CLIENT = "engine.client";

    /**
     * Request attribute, set together with the caller: a {@code Runnable} that counts one more call against the
     * caller's rate, for a body with several calls. It throws a {@link Problem} if the rate limit is exceeded.
     */
    public static final String ANOTHER_CALL = "engine.another_call";

    /**
     * Request attribute: a {@code Supplier<Runnable>} that releases the memory reserved for the response while the
     * client answers a question. The {@code Runnable} reserves it again, and throws a {@link Problem} if there is
     * none.
     */
    public static final String PAUSE = "engine.pause";

    /**
     * Request attribute, set together with the caller: the secret of its session, if a browser's cookie authenticated
     * the request.
     */
    public static final String SESSION = "engine.session";

    /**
     * Request attribute: a {@link Problem}, if a browser's cookie authenticates the request but nothing shows that a
     * page of this server sent it. Then only tools that read may run. The gate sets it if the route does not
     * determine the tool.
     */
    public static final String FORGERY = "engine.forgery";

    /** Request attribute: the request id, a string; always set. */
    public static final String REQUEST_ID = "engine.request_id";

    /**
     * Request attribute: a {@code Function<Problem, byte[]>} that turns a refusal into the HTML page for a browser;
     * absent if the client is a program.
     */
    public static final String REFUSAL_PAGE = "engine.refusal_page";

    /** Request attribute, set by the MCP endpoint once it has read a JSON-RPC request: the request's id, a JSON node. */
    public static final String MESSAGE_ID = "engine.message_id";

    /** Request attribute, set by the endpoints for the request log: the tool that ran, or the protocol method. */
    public static final String SERVICE = "engine.service";

    /**
     * Request attribute, set by the endpoints once a tool has run: what its caller has left, a list of
     * {@link Allowance}.
     */
    public static final String LIMITS = "engine.limits";

    /** The request id, for code that logs without access to the request. Bound on the request's own thread. */
    public static final ScopedValue<String> CURRENT_ID = ScopedValue.newInstance();

    /**
     * The caller, for code that shares resources among callers. Bound while a tool runs, and on the request's own
     * thread.
     */
    public static final ScopedValue<Caller> CURRENT_CALLER = ScopedValue.newInstance();

    /** The largest request body, in bytes: 1 MiB (decisions, section 1). */
    public static final int MAX_BODY = 1 << 20;

    private RequestAttributes() {}
}
