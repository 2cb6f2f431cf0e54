package io.agentworkspace.engine.kernel.outbound;

import java.net.ProtocolException;
import org.eclipse.jetty.client.ContinueProtocolHandler;
import org.eclipse.jetty.client.EarlyHintsProtocolHandler;
import org.eclipse.jetty.client.ProcessingProtocolHandler;
import org.eclipse.jetty.client.ProtocolHandlers;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Accepts a limited number of interim responses (RFC 9110, 15.2: 100, 102 and 103). Jetty would
 * read an endless series of them.
 */
final class InterimResponses {
    /** The number of interim responses that are skipped. No server needs more. */
    static final int MOST = 16;

    private static final String COUNT = InterimResponses.class.getName();

    private InterimResponses() {}

    /** Replaces the client's own handling of interim responses with the limited one. */
    static void limit(ProtocolHandlers handlers) {
        handlers.put(new ContinueProtocolHandler() {
            @Override
            protected @Nullable Runnable onContinue(Request request) {
                count(request);
                return super.onContinue(request);
            }
        });
        handlers.put(new ProcessingProtocolHandler() {
            @Override
            protected void onProcessing(Request request, HttpFields headers) {
                count(request);
            }
        });
        handlers.put(new EarlyHintsProtocolHandler() {
            @Override
            protected void onEarlyHints(Request request, HttpFields headers) {
                count(request);
            }
        });
    }

    private static void count(Request request) {
        var before = request.getAttributes().get(COUNT) instanceof Integer counted ? counted : 0;
        request.attribute(COUNT, before + 1);
        if (before == MOST) {
            request.abort(new ProtocolException("too many interim answers"));
        }
    }
}
