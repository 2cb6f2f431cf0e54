package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.model.refusal.RateFields;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.nio.ByteBuffer;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** A response that keeps the headers set by the gate, even if an endpoint resets it. */
final class GuardedResponse extends Response.Wrapper {
    private static final List<HttpField> SECURITY = List.of(
            new PreEncodedHttpField("X-Content-Type-Options", "nosniff"),
            new PreEncodedHttpField("X-Frame-Options", "DENY"),
            new PreEncodedHttpField("Referrer-Policy", "no-referrer"),
            new PreEncodedHttpField("Cache-Control", "no-store"),
            new PreEncodedHttpField("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"));

    private HttpFields guarded = HttpFields.EMPTY;
    private Capacity.@Nullable RequestShare place;

    GuardedResponse(Request request, Response response) {
        super(request, response);
    }

    static void dress(HttpFields.Mutable headers, String requestId) {
        SECURITY.forEach(headers::put);
        headers.put(RequestIds.HEADER, requestId);
    }

    /** Counts the bytes sent against this request's memory. */
    void within(Capacity.RequestShare taken) {
        place = taken;
    }

    /** Keeps the current headers from now on. */
    void guard() {
        guarded = HttpFields.build(getHeaders()).asImmutable();
    }

    @Override
    public void reset() {
        super.reset();
        guarded.forEach(getHeaders()::put);
    }

    /**
     * Writes the response. Every response passes here, even one that was ready before the whole request had arrived.
     */
    @Override
    public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
        var sent = content;
        if (!isCommitted()) {
            keepLast(HttpHeader.CACHE_CONTROL.asString());
            tellLimits();
            sent = Compression.of(getRequest(), getHeaders(), last, content);
            if (!BodyReader.finish(getRequest())) {
                getHeaders().put(HttpFields.CONNECTION_CLOSE);
            }
            count(last, content);
        }
        super.write(last, sent, callback);
    }

    /** Records the response's length, except for a stream, whose length is not known yet. */
    private void count(boolean last, @Nullable ByteBuffer content) {
        var announced = getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        if (place != null && (last || announced >= 0)) {
            place.answers(Math.max(announced, content == null ? 0 : content.remaining()));
        }
    }

    /** Sets the limit headers, so that they report the same allowances as the tool's envelope. */
    private void tellLimits() {
        var limits = RequestContext.of(getRequest()::getAttribute).limits();
        if (!limits.isEmpty()) {
            getHeaders().put(RateFields.POLICY, RateFields.policy(limits));
            getHeaders().put(RateFields.CURRENT, RateFields.current(limits));
        }
    }

    /**
     * Keeps the last value of a header. Jersey adds a route's headers to those of the gate, and the route's value
     * applies.
     */
    private void keepLast(String header) {
        // Compared by name, since headers that Jersey adds have no HttpHeader.
        var fields = getHeaders().getFields(header);
        if (fields.size() > 1) {
            getHeaders().remove(header);
            getHeaders().put(fields.getLast());
        }
    }

    /** Returns the name that Jetty logs with a reported defect. */
    @Override
    public String toString() {
        return "the answer to request "
                + RequestContext.of(getRequest()::getAttribute).requestId();
    }
}
