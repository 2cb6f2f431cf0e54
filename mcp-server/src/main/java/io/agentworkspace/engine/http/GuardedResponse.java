package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.RateFields;
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

/** A response that keeps the headers which the gate has set, also when a door resets it. */
final class GuardedResponse extends Response.Wrapper {
    private static final List<HttpField> SECURITY = List.of(
            new PreEncodedHttpField("X-Content-Type-Options", "nosniff"),
            new PreEncodedHttpField("X-Frame-Options", "DENY"),
            new PreEncodedHttpField("Referrer-Policy", "no-referrer"),
            new PreEncodedHttpField("Cache-Control", "no-store"),
            new PreEncodedHttpField("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"));

    private HttpFields guarded = HttpFields.EMPTY;
    private Capacity.@Nullable Place place;

    GuardedResponse(Request request, Response response) {
        super(request, response);
    }

    static void dress(HttpFields.Mutable headers, String requestId) {
        SECURITY.forEach(headers::put);
        headers.put(RequestIds.HEADER, requestId);
    }

    /** What it says is counted here. */
    void within(Capacity.Place taken) {
        place = taken;
    }

    /** The headers of this moment are kept from here on. */
    void guard() {
        guarded = HttpFields.build(getHeaders()).asImmutable();
    }

    @Override
    public void reset() {
        super.reset();
        guarded.forEach(getHeaders()::put);
    }

    /** Every answer passes here, also one that was found before the request had come in. */
    @Override
    public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
        var sent = content;
        if (!isCommitted()) {
            keepLast(HttpHeader.CACHE_CONTROL.asString());
            tellLimits();
            sent = Compression.of(getRequest(), getHeaders(), last, content);
            if (!Body.finish(getRequest())) {
                getHeaders().put(HttpFields.CONNECTION_CLOSE);
            }
            count(last, content);
        }
        super.write(last, sent, callback);
    }

    /** A stream, whose end is not known yet, is none of it. */
    private void count(boolean last, @Nullable ByteBuffer content) {
        var announced = getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        if (place != null && (last || announced >= 0)) {
            place.answers(Math.max(announced, content == null ? 0 : content.remaining()));
        }
    }

    /** What is left after the tool has run is told by its envelope and here alike. */
    private void tellLimits() {
        if (getRequest().getAttribute(Incoming.LIMITS) instanceof List<?> told && !told.isEmpty()) {
            @SuppressWarnings("unchecked") // It is the doors that set it.
            var limits = (List<Allowance>) told;
            getHeaders().put(RateFields.POLICY, RateFields.policy(limits));
            getHeaders().put(RateFields.CURRENT, RateFields.current(limits));
        }
    }

    /** Jersey adds what a route says to what the gate has said: the route's word is the one that counts. */
    private void keepLast(String header) {
        var fields = getHeaders().getFields(header); // By name: those that Jersey adds know no HttpHeader.
        if (fields.size() > 1) {
            getHeaders().remove(header);
            getHeaders().put(fields.getLast());
        }
    }

    /** Jetty logs it beside a defect that it was told of. */
    @Override
    public String toString() {
        return "the answer to request " + getRequest().getAttribute(Incoming.REQUEST_ID);
    }
}
