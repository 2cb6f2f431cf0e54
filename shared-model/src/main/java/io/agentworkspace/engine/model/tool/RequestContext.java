package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the gate found out about a request, and what the endpoints add for its log, its headers and its refusal. The gate
 * makes one for each request, as the only request attribute of the engine.
 */
public final class RequestContext {
    /** The name of the request attribute. */
    public static final String ATTRIBUTE = "engine.context";

    /** The request id, for code that logs without access to the request. Bound on the request's own thread. */
    public static final ScopedValue<String> CURRENT_ID = ScopedValue.newInstance();

    /**
     * The caller, for code that shares resources among callers. Bound while a tool runs, and on the request's own
     * thread.
     */
    public static final ScopedValue<Caller> CURRENT_CALLER = ScopedValue.newInstance();

    /** The largest request body, in bytes: 1 MiB (decisions, section 1). */
    public static final int MAX_BODY = 1 << 20;

    private final String requestId;
    private final String publicPath;
    private volatile @Nullable Caller caller;
    private volatile @Nullable Admitted admitted;
    private volatile @Nullable Problem forgery;
    private volatile @Nullable Supplier<Runnable> pause;
    private volatile @Nullable Function<Problem, byte[]> refusalPage;
    private volatile @Nullable JsonNode messageId;
    private volatile boolean isJsonRpc;
    private volatile boolean isBodyGivenUp;
    private volatile @Nullable String service;
    private volatile @Nullable String error;
    private volatile List<Allowance> limits = List.of();

    /**
     * What an admitted caller may do with its credential.
     *
     * @param validity returns whether the credential is still valid; equal suppliers return the same
     * @param client receives the name of the client program, if the endpoint knows it
     * @param anotherCall counts one more call against the caller's rate, for a body with several calls; throws a
     *     {@link Problem} if the rate limit is exceeded
     */
    public record Admitted(BooleanSupplier validity, Consumer<String> client, Runnable anotherCall) {}

    public RequestContext(String requestId) {
        this(requestId, "");
    }

    /** @param publicPath the path below which the server is published; empty for none */
    public RequestContext(String requestId, String publicPath) {
        this.requestId = requestId;
        this.publicPath = publicPath;
    }

    /** Returns the context of the request with these attributes. */
    public static RequestContext of(Function<String, @Nullable Object> attributes) {
        return (RequestContext) Objects.requireNonNull(attributes.apply(ATTRIBUTE), ATTRIBUTE);
    }

    public String requestId() {
        return requestId;
    }

    /** Returns the path below which the server is published; empty for none. */
    public String publicPath() {
        return publicPath;
    }

    /** Returns the caller; null on public routes without a credential. */
    @Nullable
    public Caller caller() {
        return caller;
    }

    /** Returns the caller where the gate lets nobody else pass. */
    public Caller identified() {
        return Objects.requireNonNull(caller, "caller");
    }

    /** Stores who called, also if the call is then refused. */
    public void identify(Caller who) {
        caller = who;
    }

    public void admit(Admitted admission) {
        admitted = admission;
    }

    /** Returns what the caller may do with its credential, where the gate lets nobody else pass. */
    public Admitted admitted() {
        return Objects.requireNonNull(admitted, "admitted");
    }

    /**
     * Returns a problem if a browser's cookie authenticates the request but nothing shows that a page of this server sent
     * it. Then only tools that read may run. The gate sets it if the route does not determine the tool.
     */
    public Optional<Problem> forgery() {
        return Optional.ofNullable(forgery);
    }

    public void suspect(Problem problem) {
        forgery = problem;
    }

    /**
     * Releases the memory reserved for the response while the client answers a question. The returned action reserves it
     * again, and throws a {@link Problem} if there is none.
     */
    public Runnable pause() {
        var pausing = pause;
        return pausing == null ? () -> {} : pausing.get();
    }

    public void pauseWith(Supplier<Runnable> pausing) {
        pause = pausing;
    }

    /** Returns what turns a refusal into an HTML page; empty if the client is a program. */
    public Optional<Function<Problem, byte[]>> refusalPage() {
        return Optional.ofNullable(refusalPage);
    }

    public void refuseWith(Function<Problem, byte[]> page) {
        refusalPage = page;
    }

    /** Returns the id of the JSON-RPC request; null as long as it was not read. */
    @Nullable
    public JsonNode messageId() {
        return messageId;
    }

    public void answers(@Nullable JsonNode id) {
        messageId = id;
    }

    /** Returns whether the body is a JSON-RPC message, so that a refusal is one, too. */
    public boolean isJsonRpc() {
        return isJsonRpc;
    }

    public void foundJsonRpc() {
        isJsonRpc = true;
    }

    /** Returns whether the client took too long to send its body: more may still arrive, but nothing reads it. */
    public boolean isBodyGivenUp() {
        return isBodyGivenUp;
    }

    public void giveUpBody() {
        isBodyGivenUp = true;
    }

    /** Returns the tool that ran, or the protocol method, for the request log. */
    @Nullable
    public String service() {
        return service;
    }

    public void ran(String toolOrMethod) {
        service = toolOrMethod;
    }

    /** Returns what the caller has left; empty as long as no tool has run. */
    public List<Allowance> limits() {
        return limits;
    }

    public void left(List<Allowance> allowances) {
        limits = allowances;
    }

    /** Returns the error of the tool that ran, for the request log; null if it succeeded, or none ran. */
    @Nullable
    public String error() {
        return error;
    }

    public void answered(Answer answer) {
        limits = answer.limits();
        error = answer.problem() == null ? null : answer.problem().failure().error();
    }
}
